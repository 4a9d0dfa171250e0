/**
 * Puts the server's messages in order: each numbered notification is passed on once, a missing one is asked for, and
 * what would hide something too early waits. Passes on `inbox:snapshot` (the whole state), `inbox:notification` and
 * `inbox:request`.
 */
const Inbox = (function () {
  'use strict'

  /** Messages that wait because something shall stay visible a little longer. @type {Message[]} */
  let _queue = []
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let _timer
  /** Number of the last notification that has arrived. */
  let _arrived = 0
  let _syncedAt = -Infinity
  let _playedAt = -Infinity
  let _takenAt = -Infinity

  /**
   * @param {Message} message
   */
  function _receive (message) {
    const { event, context, number } = message.payload
    if (event === 'player_joined' && context.sessionId) {
      clear()
      _arrived = context.number
      EventBus.emit('inbox:snapshot', context)
      return
    }
    if (number !== undefined) {
      if (number > _arrived + 1) {
        _askForMissing()
      }
      if (number !== _arrived + 1) {
        return
      }
      _arrived = number
    }
    _queue.push(message)
    _passOn()
  }

  /** What lies between the last number and the present one is sent again, in order. */
  function _askForMissing () {
    if (performance.now() - _syncedAt > Config.RETRY_MS) {
      _syncedAt = performance.now()
      Network.sync(_arrived)
    }
  }

  /** Forgets what waits. */
  function clear () {
    clearTimeout(_timer)
    _queue = []
  }

  /**
   * Passes on what has arrived, as far as nothing has to stay visible first.
   *
   * @param {boolean} [isLast] - nothing follows any more, so nothing waits
   */
  function _passOn (isLast = false) {
    clearTimeout(_timer)
    while (_queue.length) {
      const wait = _readyAt(_queue[0].payload.event) - performance.now()
      if (wait > 0 && !isLast) {
        _timer = setTimeout(_passOn, wait)
        return
      }
      const { type, payload } = /** @type {Message} */ (_queue.shift())
      if (payload.event === 'player_played') {
        _playedAt = performance.now()
      }
      else if (payload.event === 'trick_taken') {
        _takenAt = performance.now()
      }
      EventBus.emit(`inbox:${type}`, payload)
    }
  }

  /**
   * @param {string | undefined} event
   * @returns {number} when it may be shown: the last card of a round stays visible for a while
   */
  function _readyAt (event) {
    switch (event) {
      case 'trick_taken': return State.isLastPlay() ? _playedAt + Config.LAST_PLAY_MS : 0
      case 'round_over': return Math.max(_playedAt + Config.LAST_PLAY_MS, _takenAt + Motion.duration(400))
      default: return 0
    }
  }

  EventBus.on('network:message', _receive)
  EventBus.on('network:close', ({ isFinal }) => isFinal && _passOn(true))

  return { clear }
})()
