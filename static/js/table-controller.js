/** Takes what the person does at the table: picks cards, presses the three buttons, answers what is asked. */
const TableController = (function () {
  'use strict'

  const { Phase } = Controls
  const _state = State.data
  /** Within this time a second click on a button that has changed meanwhile is the end of a double click. */
  const _DOUBLE_CLICK_MS = 350

  let _lastAct = { slot: -1, action: '', at: -Infinity }

  /**
   * @param {Card} card
   */
  function _pickCard (card) {
    const phase = Controls.phase()
    const { selection } = _state
    if (![Phase.GIVE, Phase.TURN, Phase.IDLE].includes(/** @type {any} */ (phase)) || _state.sent || _state.isChoosing) {
      return
    }
    const isSelected = selection.includes(card)
    SoundManager.play('select')
    const rest = phase === Phase.GIVE ? [] : selection
    Page.set({ selection: isSelected ? selection.filter(each => each !== card) : [...rest, card], focus: card, refusal: '' })
  }

  /**
   * Lays the selected card on a zone, or takes back what lies there.
   *
   * @param {number} relative
   */
  function _useZone (relative) {
    const phase = Controls.phase()
    if (phase !== Phase.GIVE || _state.sent) {
      return
    }
    const [card = null] = _state.selection
    const zones = _state.zones.map((lying, index) => index === relative - 1 ? card : lying)
    if (card) {
      SoundManager.play('play0')
      Speech.say(I18n.t('{card} to {name}.', { card: Cards.cardName(card), name: State.name(State.seat(relative)) }))
    }
    Motion.around(() => Page.set({ zones, selection: [], refusal: '' }))
  }

  function _pickBomb () {
    const { bombs } = _state.chances
    if (!bombs.length || _state.sent) {
      return
    }
    if (_state.startPlayerIndex < 0) {
      Page.refuse(I18n.t('First come the calls and the exchange.'))
      return
    }
    if (!_state.takenUp) {
      _takeUp()
    }
    const present = bombs.findIndex(bomb => Lib.sameSet(bomb.cards, _state.selection))
    SoundManager.play('select')
    Page.set({ selection: [...bombs[(present + 1) % bombs.length].cards], refusal: '' })
  }

  function _choose () {
    SoundManager.play('select')
    Page.set({ selection: Cards.labels(Controls.request()?.context.proposal || []), isChoosing: true, refusal: '' })
    Page.later('choose', Motion.duration(140), () => Page.set({ isChoosing: false }))
  }

  /**
   * @param {LegalPlay} [reading] - which one, where the phoenix leaves two
   */
  function play (reading) {
    const cards = _state.selection
    const readings = Controls.readings(cards)
    if (!readings.length) {
      Page.send('play', 'bomb', { cards: cards.map(Cards.wire) }, cards, Controls.throwable(cards)?.combination)
    }
    else if (readings.length > 1 && !reading) {
      Page.set({ question: { kind: 'reading', readings } })
    }
    else {
      const rank = reading ? { rank: reading.combination[2] } : {}
      Page.answer('play', { cards: cards.map(Cards.wire), ...rank }, cards, (reading || readings[0]).combination)
    }
  }

  function _takeUp () {
    SoundManager.play('take')
    Motion.around(() => Page.set({ takenUp: true, refusal: '' }))
  }

  function callGrand () {
    Page.answer('grand', { announced: true })
  }

  function callTichu () {
    Page.send('tichu', 'announce')
  }

  /**
   * One of the three buttons was pressed.
   *
   * @param {{ arg: string | number, isKeyboard?: boolean }} press
   */
  function _act ({ arg, isKeyboard = false }) {
    const slot = Number(arg)
    const button = Controls.buttons()[slot]
    const now = performance.now()
    const isDouble = _lastAct.slot === slot && _lastAct.action !== button.action && now - _lastAct.at < _DOUBLE_CLICK_MS
    if (isDouble || (_state.sent && _state.sent.action === button.action)) {
      return
    }
    _lastAct = { slot, action: button.action, at: now }
    if (button.off) {
      Page.refuse(button.off)
      return
    }
    switch (button.action) {
      case 'decline': Page.answer('decline', { announced: false }); break
      case 'grand': _askForGrand(isKeyboard); break
      case 'tichu':
        if (User.settings.confirm) {
          Page.set({ question: { kind: 'tichu' } })
        }
        else {
          callTichu()
        }
        break
      case 'schupf':
        Page.answer('schupf', { givenSchupfCards: _state.zones.map(card => Cards.wire(/** @type {Card} */ (card))) })
        break
      case 'take': _takeUp(); break
      case 'choose': _choose(); break
      case 'pass': Page.answer('pass', { cards: [] }); break
      case 'play': play(); break
    }
  }

  /**
   * A click on "Grand Tichu": the hand learns of the long press, a key or a screen reader is asked.
   *
   * @param {boolean} isKeyboard
   */
  function _askForGrand (isKeyboard) {
    if (isKeyboard || User.settings.confirm) {
      Page.set({ question: { kind: 'grand' } })
    }
    else {
      Page.refuse(I18n.t('Press and hold to call it.'))
    }
  }

  /** @type {Record<string, (data: any) => void>} */
  const _subscriptions = {
    'tableView:act': _act,
    'tableView:holding': isHolding => Page.set({ isHolding }),
    'tableView:hold': () => User.settings.confirm ? _askForGrand(false) : callGrand(),
    'tableView:card': ({ arg }) => _pickCard(arg),
    'tableView:focus': ({ arg }) => _state.focus !== arg && Page.set({ focus: arg }),
    'tableView:zone': ({ arg }) => _useZone(Number(arg)),
    'tableView:bomb': _pickBomb,
    'tableView:clear': () => Page.set({ selection: [], refusal: '' }),
    'tableView:wishPick': ({ arg }) => Page.set({ wishPick: Number(arg) }),
    'tableView:wish': () => _state.wishPick ? Page.answer('wish', { wishValue: _state.wishPick }) : Page.refuse(I18n.t('Choose a rank first.')),
    'tableView:noWish': () => Page.answer('wish', { wishValue: 0 }),
    'tableView:gift': ({ arg }) => Page.answer('gift', { dragonRecipient: Number(arg) })
  }

  for (const [name, listener] of Object.entries(_subscriptions)) {
    EventBus.on(name, listener)
  }

  return { play, callGrand, callTichu }
})()
