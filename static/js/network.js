/**
 * The WebSocket: open, close, send, reconnect. A command that the server has not confirmed when the line breaks is sent
 * again under the same id, so it happens exactly once.
 */

/** @typedef {{ type: string, payload: any, id?: string }} Message */

const Network = (function () {
  'use strict'

  /** After these the session is over on this client. */
  const _FINAL = [1000, 1001, 1008]
  const _BUSY = 4013

  /** @type {WebSocket | null} */
  let _socket = null
  /** @type {Record<string, string>} */
  let _query = {}
  /** Commands in flight. @type {Map<string, Message>} */
  const _unconfirmed = new Map()
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let _timer
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let _checkTimer
  let _busyTries = 0
  let _isWanted = false
  let _isSeated = false
  let _heardAt = 0

  /**
   * Connects, and goes on trying until the server refuses or `close` is called.
   *
   * @param {Record<string, string>} query - `{sessionId}` or `{playerName, tableName}`
   */
  function open (query) {
    close()
    _query = query
    _isWanted = true
    _unconfirmed.clear()
    _connect()
  }

  /** Gives the connection up. */
  function close () {
    _isWanted = false
    _drop()
  }

  /** Lets go of the present socket, whatever it is doing. */
  function _drop () {
    clearTimeout(_timer)
    clearTimeout(_checkTimer)
    _checkTimer = undefined
    const socket = _socket
    _socket = null
    _isSeated = false
    socket?.close()
  }

  function _connect () {
    _drop()
    const query = new URLSearchParams({ ...Lib.snakeCase(_query), protocol: '2', lang: I18n.language })
    const socket = new WebSocket(`${Config.SOCKET}?${query}`)
    _socket = socket
    _heardAt = Date.now()
    _timer = setTimeout(_retry, Config.OPEN_TIMEOUT_MS)
    socket.onmessage = ({ data }) => socket === _socket && _receive(data)
    socket.onclose = ({ code }) => socket === _socket && _closed(code)
  }

  /**
   * @param {string} text
   */
  function _receive (text) {
    const message = Lib.camelCase(JSON.parse(text))
    const { type, payload } = message
    _heardAt = Date.now()
    if (type === 'ack' || type === 'error') {
      const command = _unconfirmed.get(payload.id)
      _unconfirmed.delete(payload.id)
      EventBus.emit(`network:${type}`, { ...payload, command })
      return
    }
    if (type === 'notification' && payload.event === 'player_joined' && payload.context.sessionId) {
      _seated(payload.context.sessionId)
    }
    if (type !== 'pong') {
      EventBus.emit('network:message', message)
    }
  }

  /**
   * The server has given the seat: from now on commands go out, those first that it may not have got.
   *
   * @param {string} sessionId
   */
  function _seated (sessionId) {
    _query = { sessionId }
    _busyTries = 0
    _isSeated = true
    clearTimeout(_timer)
    _timer = setTimeout(_ping, Config.PING_MS)
    for (const message of _unconfirmed.values()) {
      _write(message)
    }
  }

  /**
   * @param {number} code
   */
  function _closed (code) {
    _drop()
    const isFinal = _FINAL.includes(code)
    _isWanted = _isWanted && !isFinal
    EventBus.emit('network:close', { code, isFinal })
    if (_isWanted) {
      const wait = code === _BUSY ? Math.min(Config.RETRY_MS * 2 ** _busyTries++, Config.BUSY_RETRY_MS) : Config.RETRY_MS
      _timer = setTimeout(_connect, wait)
    }
  }

  /** The line is dead although nobody has closed it. */
  function _retry () {
    _closed(0)
  }

  function _ping () {
    if (Date.now() - _heardAt > Config.PING_MS * 1.5) {
      _retry()
      return
    }
    _write({ type: 'ping', payload: {} })
    _timer = setTimeout(_ping, Config.PING_MS)
  }

  /**
   * Asks at once whether the line still lives: after the device has slept, for example.
   */
  function check () {
    if (!_isWanted) {
      return
    }
    if (!_socket) {
      _connect()
    }
    else if (_isSeated && !_checkTimer) {
      _write({ type: 'ping', payload: {} })
      const asked = Date.now()
      _checkTimer = setTimeout(() => {
        _checkTimer = undefined
        if (_heardAt < asked) {
          _retry()
        }
      }, Config.ANSWER_MS)
    }
  }

  /**
   * @param {Message} message
   */
  function _write (message) {
    if (_isSeated) {
      _socket?.send(JSON.stringify(message))
    }
  }

  /**
   * Sends a command; it is confirmed by `network:ack` or refused by `network:error`, each with this command.
   *
   * @param {string} type
   * @param {Record<string, any>} [payload]
   * @returns {string} its id
   */
  function send (type, payload = {}) {
    const message = { type, payload: Lib.snakeCase(payload), id: Lib.randomId() }
    _unconfirmed.set(message.id, message)
    _write(message)
    setTimeout(() => _isSeated && isUnconfirmed(message.id) && check(), Config.ANSWER_MS)
    return message.id
  }

  /**
   * @param {string} id - of a command
   * @returns {boolean} whether its confirmation is still awaited
   */
  function isUnconfirmed (id) {
    return _unconfirmed.has(id)
  }

  /**
   * Asks for the notifications after that number.
   *
   * @param {number} since
   */
  function sync (since) {
    _write({ type: 'sync', payload: { since } })
  }

  return { open, close, check, send, isUnconfirmed, sync }
})()
