/**
 * The command that is under way, if any: while there is one, no other is sent, so that a second click does nothing.
 * What changes the table (a play, a pass, the three cards) stays under way until it shows there, everything else until
 * it is confirmed.
 */
const Commands = (function () {
  'use strict'

  const _state = State.data

  /**
   * Sends a command, unless one is under way.
   *
   * @param {string} action - what the buttons call it
   * @param {string} type
   * @param {Record<string, any>} [payload]
   * @param {Card[]} [cards]
   * @param {Combination} [combination] - what the cards are
   */
  function send (action, type, payload, cards = [], combination) {
    _state.sent ??= { id: Network.send(type, payload), action, cards, combination }
  }

  /**
   * @param {{ id: string, command?: Message }} ack
   */
  function confirm ({ id, command }) {
    const requestId = command?.payload.request_id
    const isAnswered = requestId !== undefined && _state.request?.requestId === requestId
    if (isAnswered) {
      _state.request = command?.payload.action === 'schupf' ? _state.request : null
      _state.deadline = _state.deadline?.seat === _state.playerIndex ? null : _state.deadline
    }
    if (_state.sent?.id === id) {
      const { action, cards } = _state.sent
      const willShow = action === 'play' ? cards.every(card => _state.handCards.includes(card)) : isAnswered && ['pass', 'schupf'].includes(action)
      _state.sent = willShow ? _state.sent : null
    }
  }

  /**
   * @param {string} [id] - of a refused command
   * @returns {boolean} whether it was the one under way
   */
  function fail (id) {
    const wasUnderWay = _state.sent !== null && _state.sent.id === id
    _state.sent = wasUnderWay ? null : _state.sent
    return wasUnderWay
  }

  return { send, confirm, fail }
})()
