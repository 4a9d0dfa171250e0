/** Every dialog and toast. They are drawn from `State` like the views. */
const Modals = (function () {
  'use strict'

  const { h } = Lib
  const _state = State.data

  /**
   * @param {string} key - of the dialog
   * @param {string} title
   * @returns {HTMLElement}
   */
  function _head (key, title) {
    return h('div.sheet-head', null, h('h2', { id: `${key}-title` }, title), Parts.iconButton('close', I18n.t('Close'), 'modals:close', '.ghost'))
  }

  /**
   * @param {string} key
   * @param {string} classes
   * @param {...Child} children
   * @returns {HTMLElement}
   */
  function _sheet (key, classes, ...children) {
    return h('dialog.sheet' + classes, { 'data-key': key, 'aria-labelledby': `${key}-title` }, ...children,
      h('div.live.sr', { 'data-key': 'live', 'aria-live': 'polite' }))
  }

  /**
   * @param {string} label
   * @param {string} setting
   * @param {boolean} isOn
   * @returns {HTMLElement}
   */
  function _switch (label, setting, isOn) {
    return h('button.switch', { type: 'button', role: 'switch', 'aria-checked': String(isOn), 'data-do': 'modals:toggle', 'data-arg': setting }, label, h('i'))
  }

  /**
   * @param {string} label
   * @param {Array<[value: string, text: string, language?: string]>} options
   * @param {string} chosen
   * @param {string} action
   * @returns {HTMLElement}
   */
  function _row (label, options, chosen, action) {
    return h('div.row', null, h('span.label', null, label), Parts.segments(label, options, chosen, action))
  }

  /**
   * @returns {HTMLElement}
   */
  function _settings () {
    const { sound, confirm, pace, index, suits } = User.settings
    return _sheet('settings', '',
      _head('settings', I18n.t('Settings')),
      h('div.sheet-body', null,
        h('div.settings', null,
          _switch(I18n.t('Sound'), 'sound', sound),
          _switch(I18n.t('Confirm calls'), 'confirm', confirm),
          _row(I18n.t('Pace'), [['1.4', I18n.t('Calm')], ['1', I18n.p('pace', 'Normal')], ['0.6', I18n.t('Fast')], ['0', I18n.t('Off')]], String(pace), 'modals:pace'),
          _row(I18n.t('Language'), [['de', 'Deutsch', 'de'], ['en', 'English', 'en']], I18n.language, 'page:language'),
          _row(I18n.t('Court cards'), [['de', 'B D K A'], ['en', 'J Q K A']], index, 'modals:index'),
          _row(I18n.t('Suit colours'), [['four', I18n.t('Four colours')], ['safe', I18n.t('Colour-safe')], ['ink', I18n.t('Ink only')]], suits, 'modals:suits'),
          h('div.row', { 'aria-hidden': 'true' }, h('span.label', null, I18n.t('Preview')), h('div.minis', null, ['S9', 'BB', 'GD', 'RA'].map(card => Parts.card(card))))),
        h('div.settings-foot', null,
          Parts.button(I18n.t('Rules'), 'page:rules'),
          Parts.button(I18n.t('Leave the table'), 'modals:leave'))))
  }

  /**
   * @returns {HTMLElement}
   */
  function _bigScore () {
    const [us, them] = State.score()
    return h('div.big-score', null,
      h('div', null, h('small', null, I18n.t('Us')), Lib.number(us)),
      h('div', null, ':'),
      h('div', null, h('small', null, I18n.t('Them')), Lib.number(them)))
  }

  /**
   * @param {number} points
   * @returns {string} with its sign
   */
  function _signed (points) {
    return points > 0 ? `+${points}` : Lib.number(points)
  }

  /**
   * What the points of the round are made of.
   *
   * @returns {HTMLElement}
   */
  function _breakdown () {
    const { calls, isDouble } = _state.roundNotes[_state.gameScore[0].length - 1] || { calls: [0, 0, 0, 0], isDouble: false }
    const total = State.ours(_state.gameScore[0].at(-1) || 0, _state.gameScore[1].at(-1) || 0)
    const called = State.ours(calls[0] + calls[2], calls[1] + calls[3])
    const cards = total.map((points, side) => points - called[side])
    return h('div.breakdown', null,
      h('div.hd.l', null, ''), h('div.hd', null, I18n.t('Us')), h('div.hd', null, I18n.t('Them')),
      h('div.l', null, isDouble ? I18n.t('Double victory') : I18n.t('Card points')), cards.map(points => h('div', null, Lib.number(points))),
      calls.flatMap((points, seat) => {
        if (!points) {
          return []
        }
        const call = Math.abs(points) === 200 ? I18n.t('Grand Tichu') : I18n.t('Tichu')
        const cell = h(points > 0 ? 'div.plus' : 'div.minus', null, _signed(points))
        const none = h('div', null, '–')
        return [
          h('div.l', null, `${call} · ${State.name(seat)}, ${points > 0 ? I18n.t('made') : I18n.t('lost')}`),
          ...State.relative(seat) % 2 ? [none, cell] : [cell, none]
        ]
      }),
      h('div.l.sum', null, I18n.t('Round total')), total.map(points => h('div.sum', null, Lib.number(points))))
  }

  /**
   * @returns {HTMLElement}
   */
  function _round () {
    return _sheet('round', '.wide',
      _head('round', I18n.t('Round {n} is over', { n: _state.gameScore[0].length })),
      h('div.sheet-body', null, _bigScore(), _breakdown(), h('h3.h', null, I18n.t('History')), Parts.scoreTable()),
      h('div.sheet-foot', null, Parts.button(I18n.t('Continue'), 'modals:close', '.primary', { autofocus: true })))
  }

  /**
   * @returns {HTMLElement}
   */
  function _result () {
    const [us, them] = State.score()
    const rounds = _state.gameScore[0].length
    const winners = us > them ? [0, 2] : [1, 3]
    const [a, b] = winners.map(relative => State.name(State.seat(relative)))
    const isHost = _state.hostIndex === _state.playerIndex
    return _sheet('result', '.wide',
      h('div.sheet-body.result', null,
        h('div.result-art', { 'aria-hidden': 'true' }, Cards.mark(us > them ? 'eP' : 'eD')),
        h('h2', { id: 'result-title' }, us > them ? I18n.t('You won!') : I18n.t('The others won.')),
        h('p', null, I18n.n('{a} and {b} win after one round.', '{a} and {b} win after {n} rounds.', rounds, { a, b })),
        _bigScore(), Parts.scoreTable()),
      h('div.sheet-foot', null,
        Parts.button(I18n.t('Back to the lobby'), 'modals:close', isHost ? '' : '.primary', { autofocus: !isHost }),
        isHost && Parts.button(I18n.t('Rematch'), 'modals:rematch', '.seal', { autofocus: true })))
  }

  /**
   * @param {string} title
   * @param {string} text
   * @param {string} yes
   * @returns {HTMLElement}
   */
  function _confirm (title, text, yes) {
    return _sheet('question', '.small',
      h('div.sheet-body', null, h('h2', { id: 'question-title' }, title), text && h('p', null, text)),
      h('div.sheet-foot', null,
        Parts.button(I18n.t('No'), 'modals:answer', '', { 'data-arg': 'no', autofocus: true }),
        Parts.button(yes, 'modals:answer', '.seal', { 'data-arg': 'yes' })))
  }

  /**
   * @param {Question} question
   * @returns {HTMLElement}
   */
  function _question ({ kind, seat = 0, readings = [] }) {
    switch (kind) {
      case 'grand': return _confirm(I18n.t('Call a grand Tichu?'), I18n.t('If you go out first it counts 200, otherwise minus 200.'), I18n.t('Call it'))
      case 'tichu': return _confirm(I18n.t('Call a Tichu?'), I18n.t('If you go out first it counts 100, otherwise minus 100.'), I18n.t('Call it'))
      case 'kick': return _confirm(I18n.t('Send {name} away?', { name: State.name(seat) }), '', I18n.t('Send away'))
      case 'leave': return _confirm(I18n.t('Leave the table?'), _state.isRunning ? I18n.t('An agent plays on in your place.') : '', I18n.t('Leave'))
      default:
        return _sheet('question', '.small',
          h('div.sheet-body', null, h('h2', { id: 'question-title' }, I18n.t('What is it to be?')), h('p', null, I18n.t('The phoenix leaves two readings.'))),
          h('div.sheet-foot', null, readings.map(({ combination }, index) =>
            Parts.button(Cards.combinationName(combination, _state.selection), 'modals:answer', index ? '' : '.primary', { 'data-arg': index, autofocus: !index }))))
    }
  }

  /**
   * @returns {Child}
   */
  function _dialog () {
    switch (_state.dialog) {
      case 'settings': return _settings()
      case 'score': return _sheet('score', '', _head('score', I18n.t('Score')), h('div.sheet-body', null, Parts.scoreTable()))
      case 'last': return _sheet('last', '', _head('last', I18n.t('Last trick')), h('div.sheet-body', null, Parts.lastTrick()))
      case 'chat': return _sheet('chat', '.chat', _head('chat', I18n.t('Chat')), h('div.sheet-body', null, Parts.chatBox('dialog-chat')))
      case 'rules': return _sheet('rules', '.wide', _head('rules', I18n.t('The rules in short')), h('div.sheet-body', null, RulesText.draw()))
      case 'round': return _round()
      case 'result': return _result()
      default: return null
    }
  }

  /**
   * Draws what is open.
   *
   * @param {HTMLElement} place
   */
  function draw (place) {
    const fresh = h('div', null,
      _dialog(),
      _state.question && _question(_state.question))
    const keys = [...fresh.children].map(child => /** @type {HTMLElement} */ (child).dataset.key)
    if (_state.toast) {
      // Outside of the topmost dialog nothing can be seen well.
      (fresh.lastElementChild || fresh).append(h('div.toast', { 'data-key': 'toast' }, _state.toast))
    }
    for (const dialog of place.querySelectorAll('dialog')) {
      if (!keys.includes(dialog.dataset.key)) {
        dialog.close()
      }
    }
    Lib.morphChildren(place, fresh)
    for (const dialog of place.querySelectorAll('dialog')) {
      if (!dialog.open) {
        dialog.showModal()
      }
    }
  }

  return { draw }
})()
