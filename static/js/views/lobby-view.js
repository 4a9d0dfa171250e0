/** Before the match: who sits where, what is played, and the start. */
const LobbyView = (function () {
  'use strict'

  const { h } = Lib
  const _state = State.data
  const _PLACES = ['s', 'e', 'n', 'w']

  /**
   * @returns {boolean}
   */
  function _isHost () {
    return _state.hostIndex === _state.playerIndex
  }

  /**
   * @param {string} strength - name of an agent
   * @returns {string}
   */
  function _strengthName (strength) {
    switch (strength) {
      case 'MixedAgent': return I18n.t('Easy')
      case 'RuleAgent': return I18n.t('Medium')
      case 'PolicyAgent': return I18n.t('Hard')
      default: return strength
    }
  }

  /**
   * @param {string} rules
   * @returns {string}
   */
  function _rulesName (rules) {
    switch (rules) {
      case 'pocket': return I18n.t('Printed rules')
      case 'brettspielwelt': return 'Brettspielwelt'
      default: return I18n.t('House rules')
    }
  }

  /**
   * @param {number} seconds
   * @returns {string}
   */
  function _limitName (seconds) {
    return seconds ? I18n.t('{n} seconds', { n: seconds }) : I18n.t('none')
  }

  /**
   * @param {string} label
   * @param {string} action
   * @param {string} argument
   * @param {Array<[value: string | number, text: string]>} options
   * @param {string | number} chosen
   * @returns {HTMLElement}
   */
  function _select (label, action, argument, options, chosen) {
    return h('select.select.dark', { 'aria-label': label, 'data-do': action, 'data-arg': argument }, options.map(([value, text]) =>
      h('option', { value, selected: value === chosen }, text)))
  }

  /**
   * What is said or set at a seat, below its name.
   *
   * @param {number} seat
   * @returns {HTMLElement}
   */
  function _role (seat) {
    if (seat === _state.hostIndex) {
      return h('small', null, Parts.icon('crown'), I18n.t('Host'))
    }
    if (!State.isAgent(seat)) {
      return h('small', null, _state.connected[seat] ? State.relative(seat) % 2 ? I18n.t('Opponents') : I18n.t('Your pair') : I18n.t('offline'))
    }
    const strength = _state.options.strengths[seat]
    if (!_isHost()) {
      return h('small', null, _strengthName(strength))
    }
    const choices = [...new Set([...Config.STRENGTHS.filter(each => _state.agents.includes(each)), strength])]
    return _select(I18n.t('Strength: {name}', { name: State.name(seat) }), 'lobbyView:strength', String(seat),
      choices.map(each => [each, _strengthName(each)]), strength)
  }

  /**
   * @param {number} seat
   * @returns {HTMLElement}
   */
  function _place (seat) {
    const isPicked = _state.swapPick === seat
    const name = State.name(seat)
    const side = State.relative(seat) % 2 ? 'theirs' : 'ours'
    return h(`div.place.${_PLACES[State.relative(seat)]}.${side}${isPicked ? '.picked' : ''}`, { 'data-key': `place:${seat}`, 'data-seat': seat },
      Parts.avatar(seat),
      h('b', null, name),
      _role(seat),
      _isHost() && seat !== _state.hostIndex && h('div.host-tools', null,
        h('button.btn.small.ghost', { type: 'button', 'aria-pressed': String(isPicked), 'data-do': 'lobbyView:swap', 'data-arg': seat },
          Parts.icon('swap'), h('span', null, I18n.t('Swap'), h('span.sr', null, `: ${name}`))),
        !State.isAgent(seat) && Parts.iconButton('close', I18n.t('Send away: {name}', { name }), 'lobbyView:kick', '.ghost', seat)))
  }

  /**
   * @returns {HTMLElement}
   */
  function _options () {
    const { rules, targetScore, turnLimitS } = _state.options
    const isHost = _isHost()
    /** @type {(label: string, field: string, values: readonly (string | number)[], chosen: string | number, name: (value: any) => string) => Child[]} */
    const row = (label, field, values, chosen, name) => [
      h('dt', null, label),
      h('dd', null, isHost
        ? _select(label, 'lobbyView:option', field, [...new Set([...values, chosen])].map(value => [value, name(value)]), chosen)
        : name(chosen))
    ]
    return h('section.panel.options', { 'aria-labelledby': 'options' },
      h('h2', { id: 'options' }, I18n.t('Options')),
      h('dl', null,
        row(I18n.t('Rules'), 'rules', Config.RULES, rules, _rulesName),
        row(I18n.t('Play to'), 'targetScore', Config.TARGETS, targetScore, String),
        row(I18n.t('Turn limit'), 'turnLimitS', Config.LIMITS, turnLimitS, _limitName)))
  }

  /**
   * @returns {string} the link that leads to this table
   */
  function invitation () {
    return `${location.origin}/?table=${encodeURIComponent(_state.tableName)}`
  }

  /**
   * @returns {HTMLElement}
   */
  function draw () {
    const host = _state.hostIndex < 0 ? '' : State.name(_state.hostIndex)
    return h('main.view.lobby', { 'data-key': 'lobby' },
      h('div.topline', null,
        h('h1', null, I18n.t('Table “{table}”', { table: _state.tableName }),
          h('small', null, _isHost()
            ? I18n.t('To {score} · you are the host', { score: _state.options.targetScore })
            : I18n.t('To {score} · {name} is the host', { score: _state.options.targetScore, name: host }))),
        h('div.links', null, Parts.button(I18n.t('Rules'), 'page:rules', '.ghost.small'), Parts.languageSwitch())),
      h('section.round-table', { 'aria-label': I18n.t('Seats') },
        [2, 3, 1, 0].map(relative => _place(State.seat(relative))),
        h('div.mid', null, Cards.mark('ring'),
          h('span', { role: 'status' }, _state.swapPick < 0 ? I18n.t('You play with the seat opposite') : I18n.t('Swap with whom?')))),
      h('section.panel.invitation', { 'aria-labelledby': 'invite' },
        h('h2', { id: 'invite' }, I18n.t('Invite friends')),
        h('div.invite', null,
          h('output', null, invitation()),
          Parts.button(I18n.t('Copy'), 'lobbyView:copy', '.small'))),
      _options(),
      Parts.chatBox('lobby-chat', '.panel'),
      h('div.lobby-start', null,
        _state.refusal && h('p.warning', null, _state.refusal),
        Parts.button(I18n.t('Leave'), 'lobbyView:leave'),
        h('button.btn.seal', {
          type: 'button', 'data-do': 'lobbyView:start', 'aria-disabled': _isHost() && !_state.sent ? null : 'true'
        }, I18n.t('Start the game'))),
      Parts.banner())
  }

  return { draw, invitation }
})()
