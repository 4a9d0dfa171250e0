/**
 * Pieces that several views are made of. An element with `data-do` tells the bus what was done with it: a click, a
 * submitted form, a changed select; `data-arg` goes with it.
 */
const Parts = (function () {
  'use strict'

  const { h } = Lib
  const _state = State.data

  /**
   * @param {string} id
   * @returns {SVGElement}
   */
  function icon (id) {
    return Lib.svg('svg', { class: 'i', 'aria-hidden': 'true' }, Lib.svg('use', { href: `${Config.ICONS}#${id}` }))
  }

  /**
   * @param {string} id - of the icon
   * @param {string} label
   * @param {string} action
   * @param {string} [classes]
   * @param {string | number} [argument]
   * @returns {HTMLElement}
   */
  function iconButton (id, label, action, classes = '', argument) {
    return h('button.btn.icon' + classes, {
      type: 'button', 'aria-label': label, title: label, 'data-do': action, 'data-arg': argument
    }, icon(id))
  }

  /**
   * @param {string} label
   * @param {string} action
   * @param {string} [classes]
   * @param {Record<string, any>} [attributes]
   * @returns {HTMLElement}
   */
  function button (label, action, classes = '', attributes = {}) {
    return h('button.btn' + classes, { type: 'button', 'data-do': action, ...attributes }, h('span', null, label))
  }

  /**
   * @param {Card | 'back'} card
   * @param {Record<string, any>} [attributes]
   * @param {string} [tag]
   * @returns {HTMLElement}
   */
  function card (card, attributes = {}, tag = 'div') {
    const isBack = card === 'back'
    return h(`${tag}.card${isBack ? '.is-back' : ''}`, {
      'data-card': card,
      'data-suit': isBack ? null : Cards.suit(card),
      'data-index': User.settings.index,
      ...attributes
    }, Cards.face(card))
  }

  /**
   * A small fan of cards.
   *
   * @param {Card[]} cards
   * @returns {HTMLElement}
   */
  function minis (cards) {
    return h('div.minis', { role: 'img', 'aria-label': cards.map(Cards.cardName).join(', ') }, cards.map(each => card(each)))
  }

  /**
   * One of several values.
   *
   * @param {string} label
   * @param {Array<[value: string, text: string, language?: string]>} options
   * @param {string} chosen
   * @param {string} action
   * @returns {HTMLElement}
   */
  function segments (label, options, chosen, action) {
    return h('div.seg', { role: 'radiogroup', 'aria-label': label }, options.map(([value, text, language]) =>
      h('button', {
        type: 'button',
        role: 'radio',
        'aria-checked': String(value === chosen),
        tabindex: value === chosen ? 0 : -1,
        lang: language,
        'data-do': action,
        'data-arg': value
      }, text)))
  }

  /**
   * @returns {HTMLElement}
   */
  function languageSwitch () {
    return segments(I18n.t('Language'), [['de', 'DE', 'de'], ['en', 'EN', 'en']], I18n.language, 'page:language')
  }

  /**
   * @param {number} seat
   * @returns {HTMLElement}
   */
  function avatar (seat) {
    const isOff = !_state.connected[seat] && !State.isAgent(seat)
    return h('div.avatar', { 'aria-hidden': 'true' }, isOff ? icon('off') : State.isAgent(seat) ? icon('agent') : _initial(State.name(seat)))
  }

  /**
   * @param {string} name
   * @returns {string} its first letter, whatever writing that is
   */
  function _initial (name) {
    return [...name][0]?.toUpperCase() || ''
  }

  /**
   * @param {string} id - of the heading
   * @param {string} [classes]
   * @returns {HTMLElement}
   */
  function chatBox (id, classes = '') {
    return h('section.chat-box' + classes, { 'aria-labelledby': id },
      h('h2', { id }, I18n.t('Chat')),
      h('div.chat-log', { tabindex: 0, role: 'group', 'aria-labelledby': id }, _state.chat.map(({ name, text }) =>
        name ? h('p', null, h('b', null, `${name}: `), text) : h('p.sys', null, text))),
      h('form.chat-form', { 'data-do': 'chat:say', autocomplete: 'off' },
        h('input', {
          name: 'text',
          'aria-label': I18n.t('Message'),
          placeholder: I18n.t('Message …'),
          maxlength: 500,
          // Where there is a keyboard; elsewhere it would cover the chat.
          autofocus: _state.dialog === 'chat' && window.matchMedia('(hover: hover)').matches
        }),
        h('button.btn.icon', { type: 'submit', 'aria-label': I18n.t('Send') }, icon('send'))))
  }

  /**
   * The score, a line for each round.
   *
   * @returns {HTMLElement}
   */
  function scoreTable () {
    const [us, them] = State.ours(_state.gameScore[0], _state.gameScore[1])
    const [ourTotal, theirTotal] = State.score()
    return h('table.score', null,
      h('caption.sr', null, I18n.t('Score')),
      h('thead', null, h('tr', null,
        h('th', { scope: 'col' }, I18n.t('Round')), h('th', { scope: 'col' }, I18n.t('Us')), h('th', { scope: 'col' }, I18n.t('Them')))),
      h('tbody', null, us.map((points, round) => h('tr', null,
        h('th', { scope: 'row' }, round + 1), _scoreCell(points, round, 0), _scoreCell(them[round], round, 1)))),
      h('tfoot', null, h('tr', null, h('th', { scope: 'row' }, I18n.t('Total')), h('td', null, Lib.number(ourTotal)), h('td', null, Lib.number(theirTotal)))))
  }

  /**
   * @param {number} points
   * @param {number} round
   * @param {number} side - 0 us, 1 them
   * @returns {HTMLElement}
   */
  function _scoreCell (points, round, side) {
    const calls = (_state.roundNotes[round]?.calls || []).filter((call, seat) => call && State.relative(seat) % 2 === side)
    return h('td', null, calls.map(call => h(call > 0 ? 'small.plus' : 'small.minus', null,
      `${Math.abs(call) === 200 ? 'GT' : 'T'} ${call > 0 ? '✓' : '×'} `)), Lib.number(points))
  }

  /**
   * @returns {HTMLElement} the trick that was taken last
   */
  function lastTrick () {
    const trick = State.lastTrick()
    const winning = State.plays(trick).at(-1)
    if (!trick.length) {
      return h('p.row-sum', null, I18n.t('No trick has been taken yet.'))
    }
    return h('ol.trick', null, trick.map(turn => {
      const [seat, cards] = turn
      return h('li.one' + (turn === winning ? '.win' : ''), null,
        h('b', null, seat === _state.playerIndex ? I18n.t('You') : State.name(seat)),
        cards.length ? minis(cards) : h('span.row-sum', null, I18n.t('passes')))
    }))
  }

  /**
   * @returns {Child} that the connection is lost, or in other hands
   */
  function banner () {
    if (_state.connection === 'taken') {
      return h('div.banner', { role: 'alert', 'data-key': 'banner' },
        h('div', null, h('b', null, I18n.t('Your seat is open elsewhere')), I18n.t('Another window or device has taken it over.')),
        button(I18n.t('Go on here'), 'page:goOnHere', '.on-paper'))
    }
    return _state.isLossNoticed && h('div.banner', { role: 'alert', 'data-key': 'banner' },
      Cards.mark('ring', 'spin'),
      h('div', null, h('b', null, I18n.t('Connection lost')),
        `${_state.lossReason || I18n.t('Trying again …')} ${I18n.t('Your cards and your selection stay.')}`))
  }

  /**
   * @param {Segment[]} segments
   * @returns {Array<Node | string>}
   */
  function rich (segments) {
    return segments.map(({ text, strong }) => strong ? h('b', null, text) : text)
  }

  return { icon, iconButton, button, card, minis, segments, languageSwitch, avatar, chatBox, scoreTable, lastTrick, banner, rich }
})()
