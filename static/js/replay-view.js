/** Draws the replay page: all four hands, what lies on the table, the list of what was done, the controls. */

/**
 * @typedef {object} ReplayState
 * @property {ReplayRound | null} round - null until it is there
 * @property {number} step - index of the one that is shown
 * @property {boolean} isPlaying
 * @property {number} speed - steps in a second
 * @property {string} error - why nothing can be shown
 * @property {boolean} isHelpOpen
 */

const ReplayView = (function () {
  'use strict'

  const { h } = Lib
  const _PLACES = ['s', 'e', 'n', 'w']
  const SPEEDS = [0.5, 1, 2, 4]
  /** Drawn on 24 x 24. */
  const _SHAPES = Object.freeze({
    first: 'M6 5v14M18 5l-9 7 9 7z',
    back: 'M15 5l-7 7 7 7',
    play: 'M7 4l13 8-13 8z',
    pause: 'M9 5v14M15 5v14',
    forward: 'M9 5l7 7-7 7',
    last: 'M18 5v14M6 5l9 7-9 7z',
    previous: 'M12 5l-7 7 7 7M19 5l-7 7 7 7',
    next: 'M5 5l7 7-7 7M12 5l7 7-7 7'
  })

  /**
   * @param {keyof typeof _SHAPES} shape
   * @param {string} label
   * @param {string} action
   * @param {boolean} [isOff]
   * @returns {HTMLElement}
   */
  function _button (shape, label, action, isOff = false) {
    return h('button.btn.icon', {
      type: 'button', 'data-key': action, 'aria-label': label, title: label, 'data-do': action, 'aria-disabled': isOff ? 'true' : null
    }, Lib.svg('svg', { class: shape === 'play' ? 'i fill' : 'i', viewBox: '0 0 24 24', 'aria-hidden': 'true' }, Lib.svg('path', { d: _SHAPES[shape] })))
  }

  /**
   * @param {ReplayRound} round
   * @returns {number[]} the points of the two teams in the rounds before
   */
  function _score ({ results, number }) {
    const before = results.slice(0, number - 1)
    return [0, 1].map(team => before.reduce((sum, result) => sum + (result?.[team] || 0), 0))
  }

  /* ---- the table ---- */

  /**
   * @param {ReplayRound} round
   * @param {ReplayStep} step
   * @param {number} seat
   * @returns {HTMLElement}
   */
  function _seat (round, step, seat) {
    const cards = ReplayText.cards(step.hands[seat])
    const call = step.calls?.[seat] || 0
    const place = (step.out || []).indexOf(seat) + 1
    const isTurn = step.turn === seat
    const points = step.points?.[seat] || 0
    const last = (step.trick || []).map(at => round.steps[at]).filter(each => each.seat === seat).at(-1)
    const notes = [
      call && (call === 2 ? I18n.t('Grand Tichu') : I18n.t('Tichu')),
      place ? I18n.t('Place {n}', { n: place }) : isTurn ? I18n.t('to play') : last?.did === 'pass' && I18n.t('passes')
    ].filter(Boolean)
    return h(`section.seat.${_PLACES[seat]}${isTurn ? '.turn' : ''}${place ? '.done' : ''}`, { 'data-key': `seat:${seat}`, 'aria-labelledby': `name-${seat}` },
      h('div.who', null,
        h('h2', { id: `name-${seat}` }, round.seats[seat]),
        call > 0 && Cards.mark(call === 2 ? 'seal2' : 'seal', 'seal-mark'),
        h('span.note', null, notes.join(' · ')),
        h('span.won', null, I18n.n('one point', '{n} points', points, { n: Lib.number(points) }))),
      h('div.cards', { role: 'img', 'aria-label': cards.map(Cards.cardName).join(', ') || I18n.t('no cards') },
        cards.map(card => Parts.card(card, { 'data-key': `c:${card}`, 'data-new': step.did === 'schupf' && step.turn !== undefined && _isGift(step, seat, card) ? 'true' : null }))))
  }

  /**
   * @param {ReplayStep} step - the last one of the exchange
   * @param {number} seat
   * @param {Card} card
   * @returns {boolean} whether the seat has got it from another one
   */
  function _isGift (step, seat, card) {
    return (step.gifts || []).some((given, giver) => giver !== seat && given.includes(card))
  }

  /**
   * @param {ReplayRound} round
   * @param {ReplayStep} step
   * @returns {HTMLElement} who gives what to whom
   */
  function _exchange ({ seats }, step) {
    return h('table.exchange', { 'data-key': 'exchange' },
      h('caption.sr', null, I18n.t('Exchange')),
      h('tbody', null, seats.map((name, seat) => h('tr', null,
        h('th', { scope: 'row' }, name),
        [0, 1, 2].map(index => {
          const gift = ReplayText.gifts(seats, seat, step.gifts?.[seat])[index]
          return h('td', null, gift && [_small([gift.card]), h('span', null, `→ ${gift.name}`)])
        })))))
  }

  /**
   * @param {Card[]} cards
   * @returns {HTMLElement}
   */
  function _small (cards) {
    return h('span.minis', { role: 'img', 'aria-label': cards.map(Cards.cardName).join(', ') }, cards.map(card => Parts.card(card, {}, 'span')))
  }

  /**
   * @param {ReplayRound} round
   * @param {ReplayStep} step
   * @returns {HTMLElement} what lies on the table, the last play at the end
   */
  function _trick (round, step) {
    const plays = (step.trick || []).map(at => round.steps[at]).filter(each => each.did !== 'pass')
    return h('ol.plays', { 'data-key': 'plays', 'aria-label': I18n.t('Trick') }, plays.map((play, index) =>
      h('li' + (play.did === 'bomb' ? '.bomb' : '') + (index === plays.length - 1 ? '.top' : ''), null,
        h('div', null, h('b', null, round.seats[play.seat ?? 0]), h('span', null, ReplayText.what(play, round.seats))),
        _small(ReplayText.cards(play.cards)))))
  }

  /**
   * @param {ReplayRound} round
   * @param {ReplayStep} step
   * @returns {HTMLElement}
   */
  function _middle (round, step) {
    const lies = (step.trick || []).length > 0
    const isExchange = !lies && (step.gifts || []).some(Boolean)
    const { seat, did } = step
    const says = did === 'take' || did === 'dragon' || did === 'wish' || did === 'no_wish' ? `${round.seats[seat ?? 0]} ${ReplayText.what(step, round.seats)}` : ''
    return h('section.middle', { 'data-key': 'middle', 'aria-label': I18n.t('Table') },
      isExchange ? _exchange(round, step) : _trick(round, step),
      (says || step.result) && h('p.says', { 'data-key': 'says' }, step.result
        ? I18n.t('The round is over: {one} : {two}', { one: Lib.number(step.result[0]), two: Lib.number(step.result[1]) })
        : says),
      h('div.wishes', { 'data-key': 'wishes' }, step.wish && h('div.chip', { role: 'img', 'aria-label': I18n.t('Wish: {rank}', { rank: Cards.rankName(step.wish) }) },
        Cards.mark('iM'), h('span', null, I18n.t('Wish')), h('b', null, Cards.rankLetter(step.wish)))))
  }

  /* ---- around it ---- */

  /**
   * @param {ReplayRound} round
   * @param {ReplayStep | undefined} step
   * @returns {HTMLElement}
   */
  function _bar (round, step) {
    const [one, two] = _score(round).map((points, team) => points + (step?.result?.[team] || 0))
    return h('header.bar', null,
      h('div.title', null, h('h1', null, ReplayText.teams(round)), h('p', null, ReplayText.source(round))),
      h('p.total', null, h('span.sr', null, `${I18n.t('Score')}: `), `${Lib.number(one)} : ${Lib.number(two)}`))
  }

  /**
   * @param {ReplayNote[]} [notes]
   * @returns {Child}
   */
  function _notes (notes = []) {
    return notes.map(note => h('p.finding' + (note.corrected ? '.corrected' : ''), null, ReplayText.note(note)))
  }

  /**
   * @param {ReplayState & { round: ReplayRound }} state
   * @returns {HTMLElement}
   */
  function _list ({ round, step: shown }) {
    const { steps, seats, rest } = round
    return h('section.list', { 'aria-label': I18n.t('What was done') },
      h('ol.steps', { 'data-key': 'steps', tabindex: -1 }, steps.map((step, index) => h('li', { 'data-key': `step:${round.number}.${index}` },
        h('button', { type: 'button', 'data-do': 'replay:go', 'data-arg': index, 'aria-current': index === shown ? 'step' : null },
          h('span.nr', null, index),
          h('span.did', null, step.seat !== undefined && h('b', null, seats[step.seat]), ' ', ReplayText.what(step, seats)),
          _notes(step.notes)))),
      rest.length > 0 && h('li.rest', null, h('p.heading', null, I18n.t('The rules cannot follow the rest of the log:'))),
      rest.map(line => h('li.rest', null, h('code', null, line.text), _notes(line.notes)))))
  }

  /**
   * @param {ReplayRound} round
   * @param {number} number
   * @returns {string}
   */
  function _roundName ({ results }, number) {
    const result = results[number - 1]
    const name = I18n.t('Round {n}', { n: number })
    return result ? `${name} · ${Lib.number(result[0])} : ${Lib.number(result[1])}` : name
  }

  /**
   * @param {ReplayState & { round: ReplayRound }} state
   * @returns {HTMLElement}
   */
  function _controls ({ round, step, isPlaying, speed }) {
    const end = Math.max(0, round.steps.length - 1)
    const isLastRound = round.number === round.results.length
    return h('div.controls', null,
      h('div.keys', { role: 'group', 'aria-label': I18n.t('Steps') },
        _button('first', I18n.t('To the beginning of the round'), 'replay:first', step === 0),
        _button('back', I18n.t('Step back'), 'replay:back', step === 0 && round.number === 1),
        _button(isPlaying ? 'pause' : 'play', isPlaying ? I18n.t('Pause') : I18n.p('replay', 'Play'), 'replay:play', step === end && isLastRound),
        _button('forward', I18n.t('Step forward'), 'replay:forward', step === end && isLastRound),
        _button('last', I18n.t('To the end of the round'), 'replay:last', step === end),
        h('span.place', null, h('span.sr', null, I18n.t('Step')), ` ${step} / ${end}`)),
      h('div.keys', null,
        _button('previous', I18n.t('Previous round'), 'replay:previousRound', round.number === 1),
        h('select.select.dark', { 'aria-label': I18n.t('Round'), 'data-do': 'replay:round' }, round.results.map((_, index) =>
          h('option', { value: index + 1, selected: index + 1 === round.number }, _roundName(round, index + 1)))),
        _button('next', I18n.t('Next round'), 'replay:nextRound', isLastRound),
        h('select.select.dark.speed', { 'aria-label': I18n.t('Speed'), 'data-do': 'replay:speed' }, SPEEDS.map(each =>
          h('option', { value: each, selected: each === speed }, I18n.t('{n} ×', { n: each.toLocaleString(I18n.language) })))),
        h('button.btn.icon', { type: 'button', 'data-do': 'replay:help', 'aria-label': I18n.t('Keys'), title: I18n.t('Keys') }, '?')))
  }

  /**
   * @returns {HTMLElement}
   */
  function _help () {
    /** @type {Array<[string, string]>} */
    const keys = [
      ['← →', I18n.t('Step back, step forward')],
      ['↑ ↓', I18n.t('Previous trick, next trick')],
      [I18n.t('Home, End'), I18n.t('Beginning, end of the round')],
      [I18n.t('Page up, page down'), I18n.t('Previous round, next round')],
      [I18n.t('Space'), I18n.t('Play, pause')],
      ['?', I18n.t('This help')]
    ]
    return h('dialog.sheet', { 'data-key': 'help', 'aria-labelledby': 'help-title' },
      h('div.sheet-head', null, h('h2', { id: 'help-title' }, I18n.t('Keys')), Parts.iconButton('close', I18n.t('Close'), 'replay:help', '.ghost')),
      h('div.sheet-body', null, h('dl.shortcuts', null, keys.map(([key, meaning]) => [h('dt', null, h('kbd', null, key)), h('dd', null, meaning)]))))
  }

  /**
   * @param {ReplayState} state
   * @returns {Child[]}
   */
  function _page (state) {
    const { round, error } = state
    if (!round) {
      return [h('main.refused', null, error
        ? [h('h1', null, I18n.t('Nothing to be seen here')), h('p', null, error), Parts.button(I18n.t('Try again'), 'replay:again')]
        : h('p', null, I18n.t('Loading …')))]
    }
    const step = round.steps[state.step]
    return [h('div.replay', { 'data-key': 'replay' },
      _bar(round, step),
      h('main.table', { 'data-key': 'table' }, step
        ? [...[2, 3].map(seat => _seat(round, step, seat)), _middle(round, step), ...[1, 0].map(seat => _seat(round, step, seat))]
        : h('p.says', null, I18n.t('This deal cannot be shown. Its log stands in the list.'))),
      _list({ ...state, round }),
      _controls({ ...state, round })),
    state.isHelpOpen && _help()]
  }

  /** Keeps what is shown in sight, and moves nothing but the list. */
  function _follow () {
    const list = document.querySelector('.steps')
    const current = list?.querySelector('[aria-current]')
    if (!list || !current) {
      return
    }
    const [outer, inner] = [list.getBoundingClientRect(), current.getBoundingClientRect()]
    if (inner.top < outer.top || inner.bottom > outer.bottom) {
      list.scrollTop += inner.top - outer.top - (outer.height - inner.height) / 2
    }
  }

  /**
   * @param {ReplayState} state
   */
  function draw (state) {
    const wrapper = /** @type {HTMLElement} */ (document.getElementById('wrapper'))
    Lib.morphChildren(wrapper, h('div', null, _page(state)))
    const dialog = wrapper.querySelector('dialog')
    if (dialog && !dialog.open) {
      dialog.showModal()
    }
    _follow()
  }

  return { SPEEDS, draw }
})()
