/**
 * What the person can do now: the phase, the three buttons, the status line. All of it follows from `State`; what may
 * be played follows from the server's `legal` and `chances` alone, the page knows no rules.
 */

/**
 * @typedef {object} Button
 * @property {string} action
 * @property {string} label
 * @property {string} [kind] - `primary` or `call`
 * @property {string} [mark] - a seal before the label
 * @property {boolean} [hold] - wants a long press
 * @property {string} [off] - why it is disabled; '' if it is not
 */

/** @typedef {{ segments: Segment[], isRefusal: boolean }} Prompt */

const Controls = (function () {
  'use strict'

  /** The page's phases; finer than those of the protocol. */
  const Phase = Object.freeze({
    GRAND: 'grand', // eight cards, to decide
    GRAND_WAIT: 'grand-wait', // decided, others have not
    GIVE: 'give',
    GIVEN: 'given',
    RECEIVE: 'receive', // the received cards lie open
    TURN: 'turn',
    IDLE: 'idle',
    WISH: 'wish',
    DRAGON: 'dragon',
    OUT: 'out',
    OVER: 'over'
  })

  const _state = State.data
  const _type = Cards.CombinationType

  /**
   * @param {Combination} combination
   * @returns {boolean} whether the next play leads: nothing lies there, or the dog
   */
  function leads ([type, , rank]) {
    return type === _type.PASS || (type === _type.SINGLE && rank === Cards.Value.DOG)
  }

  /**
   * @returns {Card[]} the highest play of the open trick, if it is the own one
   */
  function _ownTop () {
    const top = State.plays(State.openTrick()).at(-1)
    return top && top[0] === _state.playerIndex ? top[1] : []
  }

  /**
   * The open request, if it still fits the table. One that was withdrawn (by a bomb) or overtaken does not.
   *
   * @returns {OpenRequest | null}
   */
  function request () {
    const request = _state.request
    const ownCards = _state.countHandCards[_state.playerIndex]
    if (!request || _state.isRoundOver || !_state.isRunning) {
      return null
    }
    const fits = {
      announce_grand_tichu: ownCards === 8,
      schupf: ownCards === 14 && _state.startPlayerIndex < 0,
      play: _state.currentTurnIndex === _state.playerIndex &&
        String(request.context.trickCombination) === String(_state.trickCombination),
      wish: _state.wishValue === 0 && _ownTop().includes('Ma'),
      give_dragon_away: _ownTop().includes('Dr')
    }[request.action]
    return fits ? request : null
  }

  /**
   * @returns {string} of `Phase`
   */
  function phase () {
    if (_state.isRoundOver || _state.isMatchOver) {
      return Phase.OVER
    }
    switch (request()?.action) {
      case 'announce_grand_tichu': return Phase.GRAND
      case 'schupf': return Phase.GIVE
      case 'wish': return Phase.WISH
      case 'give_dragon_away': return Phase.DRAGON
    }
    if (_state.startPlayerIndex < 0) {
      return _state.givenSchupfCards ? Phase.GIVEN : Phase.GRAND_WAIT
    }
    if (!_state.takenUp) {
      return Phase.RECEIVE
    }
    if (request()) {
      return Phase.TURN
    }
    return _state.handCards.length ? Phase.IDLE : Phase.OUT
  }

  /* ---- what the selection is ---- */

  /**
   * @returns {LegalPlay[]} what the server lets this seat play now
   */
  function legal () {
    const open = request()
    return open?.action === 'play' ? open.context.legal : []
  }

  /**
   * @param {Card[]} selection
   * @returns {LegalPlay[]} what playing these cards could mean; several where the phoenix has two readings
   */
  function readings (selection) {
    const entries = legal()
    const bomb = entries.find(entry => entry.cards && Lib.sameSet(Cards.labels(entry.cards), selection))
    if (bomb) {
      return [bomb]
    }
    const values = String(selection.map(Cards.value).sort((a, b) => b - a))
    return entries.filter(entry => !entry.cards && String(entry.values) === values)
  }

  /**
   * @param {Card[]} selection
   * @returns {Bomb | undefined} the bomb that these cards are, if it may be thrown now out of turn
   */
  function throwable (selection) {
    return _state.chances.bombs.find(bomb => bomb.playable && Lib.sameSet(bomb.cards, selection))
  }

  /**
   * @returns {boolean} whether a wish leaves no choice
   */
  function _mustFulfil () {
    const wish = _state.wishValue
    return wish > 1 && !request()?.context.mayPass && legal().length > 0 && legal().every(entry => entry.cards || entry.values.includes(wish))
  }

  /**
   * @param {Card[]} selection
   * @returns {string} why these cards cannot be played in turn
   */
  function _objection (selection) {
    const top = _state.trickCombination
    const mine = Cards.recognise(selection)
    if (!mine) {
      return I18n.t('These cards are no combination.')
    }
    if (_mustFulfil() && !selection.some(card => Cards.value(card) === _state.wishValue)) {
      return I18n.t('The wish for {rank} must be met.', { rank: Cards.rankName(_state.wishValue) })
    }
    if (mine[0] !== top[0] || mine[1] !== top[1]) {
      return _wanted()
    }
    return I18n.t('{mine} does not beat {top}.', { mine: Cards.combinationName(mine, selection), top: topName() })
  }

  /**
   * @returns {string} what would beat the trick
   */
  function _wanted () {
    const [type, length] = _state.trickCombination
    switch (type) {
      case _type.SINGLE: return I18n.t('Only a higher single card or a bomb beats this.')
      case _type.PAIR: return I18n.t('Only a higher pair or a bomb beats this.')
      case _type.TRIPLE: return I18n.t('Only a higher triple or a bomb beats this.')
      case _type.STAIR: return I18n.t('Only higher stairs of {n} cards or a bomb beat this.', { n: length })
      case _type.FULLHOUSE: return I18n.t('Only a higher full house or a bomb beats this.')
      case _type.STREET: return I18n.t('Only a higher street of {n} cards or a bomb beats this.', { n: length })
      default: return I18n.t('Only a higher bomb beats this.')
    }
  }

  /**
   * @param {(rank: number) => string} [naming]
   * @returns {string} the combination to beat
   */
  function topName (naming = Cards.rankLetter) {
    const top = State.plays(State.openTrick()).at(-1)
    return top ? Cards.combinationName(top[2], top[1], naming) : ''
  }

  /* ---- the three buttons ---- */

  /**
   * @param {string} [off]
   * @returns {Button}
   */
  function _pass (off = '') {
    return { action: 'pass', label: I18n.t('Pass'), off }
  }

  /**
   * @param {string} off
   * @returns {Button}
   */
  function _play (off) {
    return { action: 'play', label: I18n.t('Play'), kind: 'primary', off }
  }

  /**
   * @returns {Button}
   */
  function _tichu () {
    let off = ''
    if (_state.announcements[_state.playerIndex]) {
      off = I18n.t('You have called already.')
    }
    else if (!_state.chances.canAnnounce) {
      off = _state.startPlayerIndex < 0 ? I18n.t('You can call a Tichu after the exchange.') : I18n.t('No Tichu after your first card.')
    }
    return { action: 'tichu', label: I18n.t('Tichu'), kind: 'call', mark: 'seal', off }
  }

  /**
   * @returns {string} why nobody may play now but whoever's turn it is
   */
  function _notYet () {
    return _state.startPlayerIndex < 0 ? I18n.t('First come the calls and the exchange.') : I18n.t('It is not your turn yet.')
  }

  /**
   * @returns {Button[]} left, middle, right
   */
  function _turnButtons () {
    const open = request()
    const duty = leads(_state.trickCombination)
      ? I18n.t('You cannot pass when you lead.')
      : I18n.t('The wish for {rank} must be met.', { rank: Cards.rankName(_state.wishValue) })
    const pass = _pass(open?.context.mayPass ? '' : duty)
    if (!legal().length) {
      return [pass, _tichu(), { action: 'none', label: I18n.t('No move'), kind: 'primary', off: I18n.t('None of your cards fits. You can only pass.') }]
    }
    if (_state.isChoosing || (!_state.selection.length && open?.context.proposal.length)) {
      const off = _state.isChoosing ? I18n.t('One moment …') : ''
      return [pass, _tichu(), { action: 'choose', label: I18n.t('Suggest'), kind: 'primary', off }]
    }
    if (!_state.selection.length) {
      return [pass, _tichu(), _play(I18n.t('Select the cards first.'))]
    }
    return [pass, _tichu(), _play(readings(_state.selection).length ? '' : _objection(_state.selection))]
  }

  /**
   * @returns {Button[]} left, middle, right, by the phase alone
   */
  function _phaseButtons () {
    switch (phase()) {
      case Phase.GRAND:
        return [
          { action: 'decline', label: I18n.t('Continue') },
          { action: 'grand', label: I18n.t('Grand Tichu'), kind: 'call', mark: 'seal2', hold: true },
          _play(_notYet())
        ]
      case Phase.GRAND_WAIT:
        return [
          { action: 'decline', label: I18n.t('Continue'), off: I18n.t('The others are still deciding.') },
          { action: 'grand', label: I18n.t('Grand Tichu'), kind: 'call', mark: 'seal2', off: I18n.t('The others are still deciding.') },
          _play(_notYet())
        ]
      case Phase.GIVE: {
        const off = _state.zones.every(Boolean) ? '' : I18n.t('Put one card on each of the three targets first.')
        return [_pass(_notYet()), _tichu(), { action: 'schupf', label: I18n.t('Exchange'), kind: 'primary', off }]
      }
      case Phase.GIVEN:
        return [_pass(_notYet()), _tichu(), { action: 'take', label: I18n.t('Pick up'), kind: 'primary', off: _waiting() }]
      case Phase.RECEIVE:
        return [_pass(I18n.t('Pick up your cards first.')), _tichu(), { action: 'take', label: I18n.t('Pick up'), kind: 'primary' }]
      case Phase.TURN:
        return _turnButtons()
      case Phase.WISH:
        return [_pass(I18n.t('Make your wish first.')), _tichu(), _play(I18n.t('Make your wish first.'))]
      case Phase.DRAGON:
        return [_pass(I18n.t('Give the dragon away first.')), _tichu(), _play(I18n.t('Give the dragon away first.'))]
      case Phase.OVER:
        return [_pass(I18n.t('The round is over.')), _tichu(), _play(I18n.t('The round is over.'))]
      default:
        return [_pass(_notYet()), _tichu(), _play(throwable(_state.selection) ? '' : _notYet())]
    }
  }

  /**
   * @returns {Button[]} left, middle, right
   */
  function buttons () {
    const buttons = _phaseButtons()
    if (_state.connection !== 'open') {
      return buttons.map(button => ({ ...button, off: I18n.t('Back in a moment.') }))
    }
    if (_state.sent) {
      return buttons.map(button => ({ ...button, off: button.off || I18n.t('One moment …') }))
    }
    return buttons
  }

  /* ---- the status line ---- */

  /**
   * @returns {string} whom everybody waits for in the exchange
   */
  function _waiting () {
    const seat = [1, 2, 3].map(State.seat).find(each => _state.countHandCards[each] !== 11)
    return seat === undefined ? I18n.t('One moment …') : I18n.t('Waiting for {name} …', { name: State.name(seat) })
  }

  /**
   * @returns {Segment[]}
   */
  function _exchangePrompt () {
    if (_state.zones.every(Boolean)) {
      return I18n.rich('Three cards are ready.')
    }
    return _state.selection.length
      ? I18n.rich('Who gets *{card}*?', { card: Cards.cardName(_state.selection[0]) })
      : I18n.rich('Choose a card, then who gets it.')
  }

  /**
   * @returns {Segment[]} the received cards lie where the trick would, so what has been played is said
   */
  function _receivePrompt () {
    const got = I18n.rich('This is what you got.')
    const top = State.plays(State.openTrick()).at(-1)
    return top ? [...got, { text: ` ${State.name(top[0])} · ${topName()}`, strong: true }] : got
  }

  /**
   * @returns {Segment[]}
   */
  function _turnPrompt () {
    const isLead = leads(_state.trickCombination)
    const fitting = readings(_state.selection)
    if (fitting.length) {
      const mine = Cards.combinationName(fitting[0].combination, _state.selection)
      return isLead ? I18n.rich('*{mine}* is ready.', { mine }) : I18n.rich('*{mine}* beats {top}.', { mine, top: topName() })
    }
    if (_mustFulfil()) {
      return I18n.rich('*Your turn.* The wish for {rank} must be met.', { rank: Cards.rankName(_state.wishValue) })
    }
    return isLead ? I18n.rich('*You lead.*') : I18n.rich('*Your turn.* Higher than {top}.', { top: topName() })
  }

  /**
   * @returns {Segment[]}
   */
  function _idlePrompt () {
    const seat = _state.currentTurnIndex
    const bomb = throwable(_state.selection)
    if (bomb) {
      return I18n.rich('*{mine}* is ready to be thrown.', { mine: Cards.combinationName(bomb.combination, bomb.cards) })
    }
    if (seat < 0 || seat === _state.playerIndex) {
      return I18n.rich('One moment …')
    }
    return I18n.rich('{name} to play.', { name: State.name(seat) })
  }

  /**
   * @returns {Segment[]}
   */
  function _sentPrompt () {
    const { action, cards, combination } = /** @type {Sent} */ (_state.sent)
    if (combination) {
      return I18n.rich('You play *{mine}*.', { mine: Cards.combinationName(combination, cards) })
    }
    return action === 'pass' ? I18n.rich('You pass.') : I18n.rich('One moment …')
  }

  /**
   * @returns {Segment[]}
   */
  function _phasePrompt () {
    switch (phase()) {
      case Phase.GRAND: return I18n.rich('Call it, or take the other six cards.')
      case Phase.GRAND_WAIT: return I18n.rich('The others are still deciding.')
      case Phase.GIVE: return _exchangePrompt()
      case Phase.GIVEN: return [{ text: _waiting(), strong: false }]
      case Phase.RECEIVE: return _receivePrompt()
      case Phase.TURN: return _turnPrompt()
      case Phase.WISH: return I18n.rich('*Your wish* is asked for.')
      case Phase.DRAGON: return I18n.rich('*You* give the dragon away.')
      case Phase.OVER: return I18n.rich('The round is over.')
      default: return _idlePrompt()
    }
  }

  /**
   * @returns {Prompt} what is expected, or why something was not done
   */
  function prompt () {
    const refusal = /** @param {string} text */ text => ({ segments: [{ text, strong: false }], isRefusal: true })
    const plain = /** @param {Segment[]} segments */ segments => ({ segments, isRefusal: false })
    if (_state.refusal) {
      return refusal(_state.refusal)
    }
    if (_state.connection !== 'open') {
      return plain(I18n.rich('Back in a moment.'))
    }
    if (_state.sent) {
      return plain(_sentPrompt())
    }
    if (phase() === Phase.TURN) {
      const [, , right] = buttons()
      if (right.action === 'none' || (right.off && _state.selection.length && !_state.isChoosing)) {
        return refusal(right.off || '')
      }
    }
    return plain(_phasePrompt())
  }

  /* ---- why the server refused ---- */

  /**
   * @param {string} reason - of a 303, 305 or 300
   * @returns {string}
   */
  function _reason (reason) {
    switch (reason) {
      case 'not_a_combination': return I18n.t('These cards are no combination.')
      case 'does_not_beat': return I18n.t('These cards do not beat {top}.', { top: topName() })
      case 'wish': return I18n.t('The wish for {rank} must be met.', { rank: Cards.rankName(_state.wishValue) })
      case 'must_lead': return I18n.t('You cannot pass when you lead.')
      case 'no_trick': return I18n.t('A bomb needs a trick to fall on.')
      case 'dog': return I18n.t('The dog cannot be bombed.')
      case 'not_playing': return I18n.t('No bombs before the first trick.')
      case 'wish_pending': return I18n.t('First comes the wish.')
      case 'taken': return I18n.t('The trick has been taken already.')
      case 'host_seat': return I18n.t('The host stays where he is.')
      case 'not_now': return I18n.t('You see the other hands: no chat until the round is over.')
      default: return ''
    }
  }

  /**
   * A refusal of the server in plain words, and in the page's language: the server does not learn when that changes.
   *
   * @param {{ code: number, context: any, command?: Message }} error - without a command it is about the connection
   * @returns {string}
   */
  function refusal ({ code, context, command }) {
    const reason = _reason(context.reason)
    if (reason) {
      return reason
    }
    switch (code) {
      case 104: return I18n.t('The host has sent you away.')
      case 105: return command ? I18n.t('Too fast for the server. Please try again.') : I18n.t('The server is busy.')
      case 106: return I18n.t('The server is being restarted.')
      case 107: return I18n.t('The server is being serviced. Please come back later.')
      case 200:
      case 201:
      case 202: return I18n.t('Your seat is gone. Please sit down again.')
      case 203: return I18n.t('This table is full.')
      case 204: return I18n.t('This name is taken at this table.')
      case 300:
      case 303:
      case 305: return I18n.t('This is not possible now.')
      case 304: return I18n.t('It is not your turn yet.')
      case 306: return I18n.t('This rank cannot be wished for.')
      case 307: return I18n.t('You cannot call a Tichu now.')
      case 309: return I18n.t('Time is up: an agent decided for you, this once.')
      case 301:
      case 310: return I18n.t('Too late: something else happened first.')
      case 400: return I18n.t('The match has begun already.')
      case 401: return I18n.t('Only the host can do this.')
      default: return I18n.t('The server refuses this (error {code}).', { code })
    }
  }

  return { Phase, phase, request, legal, leads, readings, throwable, topName, buttons, prompt, refusal }
})()
