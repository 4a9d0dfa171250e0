/**
 * The table during a match. Where things lie follows from custom properties that are set here and read by the style
 * sheets: for each card its place if the hand is one row (`--i1 --n1`) and if it is two (`--i2 --n2 --r2`).
 */
const TableView = (function () {
  'use strict'

  const { h } = Lib
  const { Phase } = Controls
  const _state = State.data
  const _PLACES = ['s', 'e', 'n', 'w']
  const _CARDS_PER_ROW = 7
  const _CARDS_PER_PILE_ROW = 6

  /**
   * @param {number} count
   * @param {number} perRow
   * @returns {Array<{ i: number, n: number, r: number }>} the place of each card: index, size and number of its row
   */
  function _rows (count, perRow) {
    const rows = Math.ceil(count / perRow)
    const places = []
    for (let row = 0, done = 0; row < rows; row++) {
      const n = Math.ceil((count - done) / (rows - row))
      for (let i = 0; i < n; i++) {
        places.push({ i, n, r: row })
      }
      done += n
    }
    return places
  }

  /**
   * @param {number} count
   * @param {number} perRow
   * @returns {Array<Record<string, number>>} custom properties of each card
   */
  function _spread (count, perRow) {
    return _rows(count, perRow).map(({ i, n, r }, index) => ({ '--i1': index, '--n1': count, '--i2': i, '--n2': n, '--r2': r }))
  }

  /**
   * @param {number} count
   * @param {number} perRow
   * @returns {Record<string, number>} custom properties of the whole
   */
  function _extent (count, perRow) {
    const rows = Math.max(1, Math.ceil(count / perRow))
    return { '--n1': count, '--n2': Math.ceil(count / rows), '--rows2': rows }
  }

  /* ---- seats ---- */

  /**
   * @param {number} seat
   * @returns {{ call: string, place: number, isTurn: boolean, isOff: boolean, hasPassed: boolean, clock: string }}
   */
  function _look (seat) {
    const call = _state.announcements[seat]
    const place = State.finished().indexOf(seat) + 1
    const isWaitedFor = _state.deadline?.seat === seat
    const seconds = isWaitedFor ? Math.max(0, Math.ceil(((_state.deadline?.endsAt || 0) - performance.now()) / 1000)) : 0
    return {
      call: call ? call === 2 ? I18n.t('Grand Tichu') : I18n.t('Tichu') : '',
      place,
      isTurn: _state.currentTurnIndex === seat && !place && !_state.isRoundOver,
      isOff: !_state.connected[seat] && !State.isAgent(seat),
      hasPassed: State.hasPassed(seat),
      clock: isWaitedFor ? I18n.t('{n} s', { n: seconds }) : ''
    }
  }

  /**
   * @param {number} seat
   * @returns {HTMLElement}
   */
  function _seat (seat) {
    const { call, place, isTurn, isOff, hasPassed, clock } = _look(seat)
    const relative = State.relative(seat)
    const isMe = relative === 0
    const count = _state.countHandCards[seat]
    const placeText = place ? I18n.t('Place {n}', { n: place }) : ''
    const turnText = isTurn ? I18n.t('to play') : ''
    const offText = isOff ? I18n.t('offline') : ''
    const passText = hasPassed ? I18n.t('passes') : ''
    const note = [offText || placeText || turnText || passText || call, clock].filter(Boolean).join(' · ')
    const sentence = [
      isMe ? I18n.t('You') : State.name(seat), I18n.n('one card', '{n} cards', count), call, placeText, turnText, offText, passText
    ].filter(Boolean).join(', ')
    const classes = [_PLACES[relative], relative % 2 ? 'theirs' : 'ours', isTurn && 'turn', place && 'done', isOff && 'off'].filter(Boolean)
    return h(`div.seat.${classes.join('.')}`, { 'data-key': `seat:${seat}`, 'data-seat': seat, role: 'group', 'aria-label': sentence },
      h('div.who', { 'aria-hidden': 'true' },
        Parts.avatar(seat),
        call && h('span.seal-mark' + (_state.announcements[seat] === 2 ? '.grand' : ''), { 'data-key': 'seal' },
          Cards.mark(_state.announcements[seat] === 2 ? 'seal2' : 'seal')),
        (!isMe || place > 0) && h('span.count', null, place ? `${place}.` : count)),
      !isMe && h('div.name', { 'aria-hidden': 'true' }, State.name(seat)),
      !isMe && h('div.note', { 'aria-hidden': 'true' }, note),
      isMe && clock && h('div.note', { 'aria-hidden': 'true' }, clock),
      !isMe && !place && h('div.fan', { 'aria-hidden': 'true' }, Array.from({ length: count }, () => h('i'))))
  }

  /* ---- the middle ---- */

  /**
   * @param {Card[]} cards
   * @param {boolean} isOld - dimmed behind the top
   * @returns {HTMLElement}
   */
  function _pile (cards, isOld) {
    const vars = _spread(cards.length, _CARDS_PER_PILE_ROW)
    return h('div.pile' + (isOld ? '.old' : ''), { 'aria-hidden': 'true', vars: _extent(cards.length, _CARDS_PER_PILE_ROW) },
      cards.map((card, index) => Parts.card(card, {
        'data-key': isOld ? null : `c:${card}`, 'data-order': index, vars: vars[index]
      })))
  }

  /**
   * @returns {string} what lies in the open trick
   */
  function _points () {
    const points = _state.trickPoints
    return I18n.n('one point', '{n} points', points, { n: Lib.number(points) })
  }

  /**
   * @returns {Child[]}
   */
  function _trick () {
    const plays = State.plays(State.openTrick())
    const top = plays.at(-1)
    if (!top) {
      return []
    }
    const [seat, cards, combination] = top
    const previous = plays.at(-2)
    const name = seat === _state.playerIndex ? I18n.t('You') : State.name(seat)
    const isBomb = combination[0] === Cards.CombinationType.BOMB
    return [
      isBomb && h('div.boom', { 'aria-hidden': 'true' }, Cards.mark('splash')),
      h('div.pile-wrap', { 'data-key': `play:${_state.tricks.length}:${plays.length}` }, previous && _pile(previous[1], true), _pile(cards, false)),
      isBomb
        ? h('div.caption.bomb', null, h('b.boom-word', null, I18n.t('Bomb!')), h('b', null, seat === _state.playerIndex
          ? I18n.t('You throw {what}', { what: Speech.bombName(combination) })
          : I18n.t('{name} throws {what}', { name, what: Speech.bombName(combination) })),
        h('span', null, _points()))
        : h('div.caption', null, h('b', null, `${name} · ${Cards.combinationName(combination, cards)}`),
          h('span', null, _points()))
    ]
  }

  /**
   * @param {string} phase
   * @returns {HTMLElement}
   */
  function _zones (phase) {
    const lying = { [Phase.GIVE]: _state.zones, [Phase.GIVEN]: _state.givenSchupfCards, [Phase.RECEIVE]: _state.receivedSchupfCards }[phase] || []
    const isArmed = phase === Phase.GIVE && _state.selection.length === 1
    const icons = ['', 'right', 'up', 'left']
    return h(`div.zones${isArmed ? '.armed' : ''}${phase === Phase.GIVE ? '' : '.wait'}`, { role: 'group', 'aria-label': I18n.t('Exchange') },
      [3, 2, 1].map(relative => {
        const card = lying[relative - 1]
        const name = State.name(State.seat(relative))
        const label = phase === Phase.RECEIVE ? I18n.t('from {name}', { name }) : I18n.t('to {name}', { name })
        const isHidden = phase === Phase.GIVEN
        return h('button.zone', {
          type: 'button',
          'data-key': `zone:${relative}`,
          'data-do': 'tableView:zone',
          'data-arg': relative,
          'aria-label': card && !isHidden ? `${label}: ${Cards.cardName(card)}` : label
        },
        h('span.slot', null, card
          ? Parts.card(isHidden ? 'back' : card, { 'data-key': isHidden ? null : `c:${card}`, 'data-from': relative }, 'span')
          : Parts.icon(icons[relative])),
        h('span.to', null, name))
      }))
  }

  /**
   * @param {string} mark
   * @param {string} title
   * @param {string} text
   * @returns {HTMLElement}
   */
  function _notice (mark, title, text) {
    return h('div.notice', null, Cards.mark(mark), h('h2', null, title), h('p', null, text))
  }

  /**
   * @returns {Child}
   */
  function _middle () {
    const phase = Controls.phase()
    switch (phase) {
      case Phase.GRAND:
        return _notice('seal2', I18n.t('Grand Tichu?'), I18n.t('With the first eight cards only. Go out first and it counts 200, otherwise minus 200.'))
      case Phase.GIVE:
      case Phase.GIVEN:
      case Phase.RECEIVE:
        return _zones(phase)
      case Phase.OUT:
        if (!State.openTrick().length) {
          const place = State.finished().indexOf(_state.playerIndex) + 1
          return _notice('enso', I18n.t('You are out as number {place}.', { place }),
            _state.shownHands ? I18n.t('You may look at the other hands now.') : '')
        }
    }
    return _trick()
  }

  /* ---- paper panels on the felt ---- */

  /**
   * @returns {HTMLElement}
   */
  function _wishPanel () {
    const { wishPick } = _state
    return h('section.ask.sheet', { 'data-key': 'wish', role: 'dialog', 'aria-labelledby': 'ask-title', 'aria-describedby': 'ask-text' },
      h('h2', { id: 'ask-title' }, I18n.t('Which rank do you wish for?')),
      h('div.ranks', { role: 'radiogroup', 'aria-labelledby': 'ask-title' }, [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14].map(rank =>
        h('button', {
          type: 'button',
          role: 'radio',
          'aria-checked': String(wishPick === rank),
          tabindex: (wishPick || 2) === rank ? 0 : -1,
          'aria-label': Cards.rankName(rank),
          'data-do': 'tableView:wishPick',
          'data-arg': rank
        }, Cards.rankMark(rank)))),
      h('div.foot', null,
        h('p', { id: 'ask-text' }, I18n.t('Whoever has it and can play it, must.')),
        _state.options.rules !== 'house' && Parts.button(I18n.t('No wish'), 'tableView:noWish'),
        Parts.button(I18n.t('Make the wish'), 'tableView:wish', '.primary', { 'aria-disabled': wishPick && !_state.sent ? null : 'true' })))
  }

  /**
   * @returns {HTMLElement}
   */
  function _dragonPanel () {
    return h('section.ask.low.sheet', { 'data-key': 'dragon', role: 'dialog', 'aria-labelledby': 'ask-title', 'aria-describedby': 'ask-text' },
      h('h2', { id: 'ask-title' }, I18n.t('Who gets the dragon’s trick?')),
      h('p', { id: 'ask-text' }, I18n.n('The trick is worth one point.', 'The trick is worth {n} points.', _state.trickPoints)),
      h('div.gift', null, [3, 1].map(relative => {
        const seat = State.seat(relative)
        const side = relative === 3 ? I18n.p('side', 'Left') : I18n.p('side', 'Right')
        return h('button.btn', { type: 'button', 'data-do': 'tableView:gift', 'data-arg': seat },
          h('span.dir', null, relative === 3 && Parts.icon('left'), h('b', null, State.name(seat)), relative === 1 && Parts.icon('right')),
          h('small', null, `${side} · ${I18n.n('one card', '{n} cards', _state.countHandCards[seat])}`))
      })))
  }

  /**
   * @returns {Child}
   */
  function _panel () {
    switch (Controls.phase()) {
      case Phase.WISH: return _wishPanel()
      case Phase.DRAGON: return _dragonPanel()
      default: return null
    }
  }

  /**
   * @returns {HTMLElement}
   */
  function _felt () {
    const wish = _state.wishValue
    return h('div.felt', { 'data-turn': _state.currentTurnIndex < 0 ? 'n' : _PLACES[State.relative(_state.currentTurnIndex)] },
      Cards.mark('enso', 'enso'),
      [2, 3, 1].map(relative => _seat(State.seat(relative))),
      wish > 1 && h('div.chip.wish', { 'data-key': 'chip', role: 'img', 'aria-label': I18n.t('Wish: {rank}', { rank: Cards.rankName(wish) }) },
        Cards.mark('iM'), h('span', null, I18n.t('Wish')), h('b', null, Cards.rankLetter(wish))),
      h('div.corner.only-compact', { 'data-key': 'corner' }, Parts.iconButton('stack', I18n.t('Last trick'), 'page:last')),
      h('div.center', { 'data-key': 'center' }, _middle()),
      _panel(),
      Parts.banner())
  }

  /* ---- the own area ---- */

  /**
   * @returns {HTMLElement}
   */
  function _hand () {
    const cards = State.visibleHand()
    const vars = _spread(cards.length, _CARDS_PER_ROW)
    const focus = cards.includes(_state.focus) ? _state.focus : cards[0]
    const fresh = (_state.takenUp && cards.length === 14 && _state.receivedSchupfCards) || []
    return h('div.hand', {
      'data-key': 'hand',
      role: 'listbox',
      'aria-multiselectable': 'true',
      'aria-orientation': 'horizontal',
      'aria-label': I18n.n('Your hand, one card', 'Your hand, {n} cards', cards.length),
      vars: _extent(cards.length, _CARDS_PER_ROW)
    }, cards.map((card, index) => Parts.card(card, {
      role: 'option',
      'data-key': `c:${card}`,
      'data-do': 'tableView:card',
      'data-arg': card,
      'data-order': index,
      'data-new': fresh.includes(card) ? 'true' : null,
      'aria-selected': String(_state.selection.includes(card)),
      'aria-label': Cards.cardName(card),
      tabindex: card === focus ? 0 : -1,
      vars: vars[index]
    })))
  }

  /**
   * @param {Card[][]} hands
   * @returns {HTMLElement} the hands that a seat that is out may see
   */
  function _openHands (hands) {
    return h('ul.open-hands', { 'data-key': 'open-hands' }, [3, 2, 1].map(State.seat).map(seat => h('li', null,
      h('span', null, State.name(seat)), hands[seat].length ? Parts.minis(hands[seat]) : null)))
  }

  /**
   * @returns {HTMLElement}
   */
  function _mine () {
    const { segments, isRefusal } = Controls.prompt()
    const isTurn = [Phase.TURN, Phase.WISH, Phase.DRAGON].includes(/** @type {any} */ (Controls.phase()))
    const isOut = Controls.phase() === Phase.OUT && _state.shownHands
    return h('div.mine' + (isTurn ? '.turn' : ''), null,
      h('div.status', null,
        _seat(_state.playerIndex),
        h('p.prompt' + (isRefusal ? '.no' : ''), { id: 'prompt' }, Parts.rich(segments)),
        _state.chances.bombs.length > 0
          ? h('button.btn.bomb-button', {
            type: 'button', 'data-key': 'bomb', 'data-do': 'tableView:bomb', 'aria-label': I18n.t('Select the bomb'), title: I18n.t('Select the bomb')
          }, Cards.mark('bomb'))
          : h('span.ph')),
      isOut ? _openHands(/** @type {Card[][]} */ (_state.shownHands)) : _hand())
  }

  /**
   * @returns {HTMLElement}
   */
  function _actions () {
    return h('div.actions', { role: 'group', 'aria-label': I18n.t('Actions') }, Controls.buttons().map((button, slot) =>
      h(`button.btn${button.kind ? '.' + button.kind : ''}${button.hold && _state.isHolding ? '.holding' : ''}`, {
        type: 'button',
        'data-key': `slot:${slot}`,
        'data-do': 'tableView:act',
        'data-arg': slot,
        'data-action': button.action,
        'data-hold': button.hold ? 'tableView:hold' : null,
        'aria-disabled': button.off ? 'true' : null,
        'aria-describedby': 'prompt'
      }, button.hold && h('span.hold'), button.mark && Cards.mark(button.mark, 'stamp'), h('span', null, button.label))))
  }

  /**
   * @returns {HTMLElement}
   */
  function _bar () {
    const [us, them] = State.score()
    return h('div.bar', null,
      h('div', null, Parts.iconButton('menu', I18n.t('Menu'), 'page:settings')),
      h('button.points', { type: 'button', 'data-do': 'page:score' },
        h('span.sr', null, `${I18n.t('Score')}: `),
        h('span', null, h('small', null, I18n.t('Us')), ' ', Lib.number(us)), ' : ', h('span', null, h('small', null, I18n.t('Them')), ' ', Lib.number(them))),
      h('div.tools', null, h('span.only-compact' + (_state.unreadChats ? '.unread' : ''), null,
        Parts.iconButton('chat', _state.unreadChats ? I18n.n('Chat, one new message', 'Chat, {n} new messages', _state.unreadChats) : I18n.t('Chat'), 'page:chat'))))
  }

  /**
   * @returns {HTMLElement}
   */
  function draw () {
    return h('div.table-view', { 'data-key': 'table' },
      h('aside.side.left', { 'aria-label': I18n.t('History') },
        h('section', null, h('h2', null, I18n.t('Score')), Parts.scoreTable()),
        h('section.last', null, h('h2', null, I18n.t('Last trick')), Parts.lastTrick())),
      h('main.stage', null,
        h('h1.sr', null, I18n.t('Table “{table}”', { table: _state.tableName })),
        h('div.grid', null, _bar(), _felt(), _mine(), _actions())),
      h('aside.side.right', { 'aria-label': I18n.t('Chat') }, Parts.chatBox('table-chat')))
  }

  return { draw }
})()
