/** Draws the replay page: all four hands, what lies on the table, the list of what was done, the controls. */

/**
 * @typedef {object} ReplayState
 * @property {ReplayRound | null} round - null until it is there
 * @property {number} step - index of the one that is shown
 * @property {boolean} isPlaying
 * @property {number} speed - steps in a second
 * @property {string} notice - what went wrong
 * @property {string} remedy - what the button beside it does; '' is no button
 * @property {boolean} isHelpOpen
 */

/** @typedef {ReplayState & { round: ReplayRound }} DrawnState */

const ReplayView = (function () {
  'use strict'

  const { h } = Lib
  const _PLACES = ['s', 'e', 'n', 'w']
  const SPEEDS = [0.5, 1, 2, 4]
  /** A play of more cards gets more room beside its name. */
  const _LONG = 8
  /** Drawn on 24 x 24. */
  const _SHAPES = Object.freeze({
    first: 'M6 5v14M18 5l-9 7 9 7z',
    back: 'M15 5l-7 7 7 7',
    play: 'M7 4l13 8-13 8z',
    pause: 'M9 5v14M15 5v14',
    forward: 'M9 5l7 7-7 7',
    last: 'M18 5v14M6 5l9 7-9 7z',
    previous: 'M12 5l-7 7 7 7M19 5l-7 7 7 7',
    next: 'M5 5l7 7-7 7M12 5l7 7-7 7',
    home: 'M4 11l8-7 8 7M6.5 9.5V20h11V9.5',
    before: 'M20 12H4M10 6l-6 6 6 6',
    after: 'M4 12h16M14 6l6 6-6 6'
  })
  /**
   * The round whose list stands in the page.
   *
   * @type {ReplayRound | null}
   */
  let _listed = null

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
    }, _shape(shape))
  }

  /**
   * @param {keyof typeof _SHAPES} shape
   * @param {string} label
   * @param {string} address - '' leads nowhere
   * @returns {HTMLElement}
   */
  function _link (shape, label, address) {
    return h('a.btn.icon', { href: address || null, 'aria-label': label, title: label, role: address ? null : 'link', 'aria-disabled': address ? null : 'true' }, _shape(shape))
  }

  /**
   * @param {keyof typeof _SHAPES} shape
   * @returns {SVGElement}
   */
  function _shape (shape) {
    return Lib.svg('svg', { class: shape === 'play' ? 'i fill' : 'i', viewBox: '0 0 24 24', 'aria-hidden': 'true' }, Lib.svg('path', { d: _SHAPES[shape] }))
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
      h('thead', null, h('tr', null,
        h('td', null, I18n.t('from ↓ to →')),
        seats.map(name => h('th', { scope: 'col', title: name }, name)))),
      h('tbody', null, seats.map((name, giver) => h('tr', null,
        h('th', { scope: 'row', title: name }, name),
        seats.map((_, receiver) => {
          const card = ReplayText.cards(step.gifts?.[giver])[(receiver - giver + 3) % 4]
          return h('td', null, receiver !== giver && card && _small([card]))
        })))))
  }

  /**
   * @param {Card[]} cards
   * @returns {HTMLElement}
   */
  function _small (cards) {
    return h('span.minis', { role: 'img', 'aria-label': cards.map(Cards.cardName).join(', '), vars: { '--others': cards.length - 1 } }, cards.map(card => Parts.card(card, {}, 'span')))
  }

  /**
   * @param {ReplayRound} round
   * @param {ReplayStep} step
   * @returns {HTMLElement} what lies on the table, the last play at the end
   */
  function _trick (round, step) {
    const plays = (step.trick || []).map(at => round.steps[at]).filter(each => each.did !== 'pass')
    return h('ol.plays', { 'data-key': 'plays', 'aria-label': I18n.t('Trick') },
      h('li.more', { hidden: true, 'aria-hidden': 'true' }),
      plays.map((play, index) => {
        const cards = ReplayText.cards(play.cards)
        return h('li' + (play.did === 'bomb' ? '.bomb' : '') + (cards.length > _LONG ? '.long' : '') + (index === plays.length - 1 ? '.top' : ''), null,
          h('div', null, h('b', null, round.seats[play.seat ?? 0]), h('span', null, ReplayText.what(play, round.seats))),
          _small(cards))
      }))
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
    const end = step === round.steps.at(-1) ? ReplayText.end(round) : ''
    const says = end || (['take', 'dragon', 'wish', 'no_wish'].includes(did) ? `${round.seats[seat ?? 0]} ${ReplayText.what(step, round.seats)}` : '')
    return h('section.middle', { 'data-key': 'middle', 'aria-label': I18n.t('Table') },
      isExchange ? _exchange(round, step) : _trick(round, step),
      says && h('p.says' + (end && !step.result ? '.broken' : ''), { 'data-key': 'says' }, says),
      h('div.wishes', { 'data-key': 'wishes' }, step.wish && h('div.chip', { role: 'img', 'aria-label': I18n.t('Wish: {rank}', { rank: Cards.rankName(step.wish) }) },
        Cards.mark('iM'), h('span', null, I18n.t('Wish')), h('b', null, Cards.rankLetter(step.wish)))))
  }

  /* ---- around it ---- */

  /**
   * @param {DrawnState} state
   * @returns {HTMLElement}
   */
  function _table ({ round, step: index }) {
    const step = round.steps[index]
    return h('main.table', { 'data-key': 'table' }, step
      ? [...[2, 3].map(seat => _seat(round, step, seat)), _middle(round, step), ...[1, 0].map(seat => _seat(round, step, seat))]
      : h('div.says', null, h('p', null, I18n.t('This deal cannot be shown. Its log stands in the list.')), h('p', null, ReplayText.end(round))))
  }

  /**
   * @param {DrawnState} state
   * @returns {HTMLElement}
   */
  function _bar ({ round, step: index }) {
    const step = round.steps[index]
    const { home, before, after } = round
    const [one, two] = _score(round).map((points, team) => points + (step?.result?.[team] || 0))
    return h('header.bar', null,
      _link('home', I18n.t('Back to the administration'), home),
      h('div.title', null, h('h1', null, ReplayText.teams(round)), h('p', null, ReplayText.source(round))),
      (before || after) && h('nav', { 'aria-label': I18n.t('Halves of the run') },
        _link('before', I18n.t('Previous half'), before), _link('after', I18n.t('Next half'), after)),
      h('p.total', null, h('span.sr', null, `${I18n.t('Score')}: `), `${Lib.number(one)} : ${Lib.number(two)}`))
  }

  /**
   * @param {ReplayNote[] | undefined} notes
   * @param {string[]} seats
   * @returns {Child}
   */
  function _notes (notes, seats) {
    return notes?.map(note => h('span.finding' + (note.corrected ? '.corrected' : ''), null, ReplayFindings.note(note, seats)))
  }

  /**
   * @param {DrawnState} state
   * @returns {HTMLElement} with one step in the order of tabs, the one that is shown
   */
  function _list ({ round, step: shown }) {
    const { steps, seats, rest } = round
    return h('section.list', { 'aria-label': I18n.t('What was done') },
      h('ol.steps', { tabindex: rest.length ? 0 : -1 }, steps.map((step, index) => h('li', null,
        h('button', {
          type: 'button',
          'data-do': 'replay:go',
          'data-arg': index,
          tabindex: index === shown ? 0 : -1,
          'aria-current': index === shown ? 'step' : null
        },
          h('span.nr', null, index),
          h('span.did', null,
            step.seat !== undefined && h('b', null, seats[step.seat]), ' ', ReplayText.what(step, seats), ' ',
            h('span.labels', null, ReplayText.labels(step))),
          _notes(step.notes, seats),
          step.result && h('span.ended', null, ReplayText.result(step.result))))),
      rest.length > 0 && h('li.rest', null, h('p.heading', null, I18n.t('The rules cannot follow the rest of the log:'))),
      rest.map(line => h('li.rest', null, h('code', null, line.text), _notes(line.notes, seats)))))
  }

  /**
   * Marks the step that is shown in the list that stands there.
   *
   * @param {Element} list
   * @param {number} shown
   */
  function _mark (list, shown) {
    const old = list.querySelector('[aria-current]')
    const fresh = list.querySelector(`[data-arg="${shown}"]`)
    if (old === fresh || !(fresh instanceof HTMLElement)) {
      return
    }
    old?.removeAttribute('aria-current')
    old?.setAttribute('tabindex', '-1')
    fresh.setAttribute('aria-current', 'step')
    fresh.tabIndex = 0
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
   * @param {DrawnState} state
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
   * @returns {HTMLElement} what lies over the page: what went wrong, the help
   */
  function _over (state) {
    return h('div.over', null,
      state.notice && h('div.notice', { role: 'alert', 'data-key': 'notice' }, h('p', null, state.notice), _remedy(state)),
      state.isHelpOpen && _help())
  }

  /**
   * @param {ReplayState} state
   * @returns {Child}
   */
  function _remedy ({ remedy }) {
    return remedy && Parts.button(remedy === 'replay:login' ? I18n.t('Log in') : I18n.t('Try again'), remedy)
  }

  /**
   * @param {ReplayState} state
   * @returns {HTMLElement} before there is a round
   */
  function _empty (state) {
    return h('main.refused', null, state.notice
      ? [h('h1', null, I18n.t('Nothing to be seen here')), h('p', null, state.notice), _remedy(state)]
      : h('p', null, I18n.t('Loading …')))
  }

  /** Keeps what is shown in sight, and moves nothing but the list. A focus in the list goes with it. */
  function _follow () {
    const list = document.querySelector('.steps')
    const current = list?.querySelector('[aria-current]')
    if (!list || !(current instanceof HTMLElement)) {
      return
    }
    if (document.activeElement !== list && list.contains(document.activeElement)) {
      current.focus({ preventScroll: true })
    }
    const [outer, inner] = [list.getBoundingClientRect(), current.getBoundingClientRect()]
    if (inner.top < outer.top || inner.bottom > outer.bottom) {
      list.scrollTop += inner.top - outer.top - (outer.height - inner.height) / 2
    }
  }

  /** Leaves out the first plays of a trick that is too long, and says how many. */
  function _fit () {
    const plays = document.querySelector('.plays')
    const more = plays?.firstElementChild
    if (!plays || !(more instanceof HTMLElement)) {
      return
    }
    const all = [...plays.children].slice(1)
    for (let count = 1; count < all.length && plays.scrollHeight > plays.clientHeight + 1; count++) {
      all[count - 1].classList.add('sr')
      more.hidden = false
      more.textContent = `+${count}`
    }
  }

  /**
   * Draws all of it; of the round that stands there already, the list stays.
   *
   * @param {ReplayState} state
   */
  function draw (state) {
    const wrapper = /** @type {HTMLElement} */ (document.getElementById('wrapper'))
    const { round } = state
    if (!round) {
      Lib.morphChildren(wrapper, h('div', null, _empty(state)))
    }
    else {
      const drawn = { ...state, round }
      const page = wrapper.querySelector('.replay')
      if (page && round === _listed) {
        const [bar, table, list, controls, over] = page.children
        Lib.morph(bar, _bar(drawn))
        Lib.morph(table, _table(drawn))
        _mark(list, state.step)
        Lib.morph(controls, _controls(drawn))
        Lib.morph(over, _over(state))
      }
      else {
        Lib.morphChildren(wrapper, h('div', null,
          h('div.replay', { 'data-key': 'replay' }, _bar(drawn), _table(drawn), _list(drawn), _controls(drawn), _over(state))))
      }
      _fit()
      _follow()
    }
    _listed = round
    const dialog = wrapper.querySelector('dialog')
    if (dialog && !dialog.open) {
      dialog.showModal()
    }
  }

  return { SPEEDS, draw }
})()
