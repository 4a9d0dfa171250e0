/** Carries events between modules. Names are `source:event`: `network:message`, `tableView:play`. */
const EventBus = (function () {
  'use strict'

  /** @type {Map<string, Array<(data: any) => void>>} */
  const _listeners = new Map()

  /**
   * @param {string} name
   * @param {(data: any) => void} listener
   */
  function on (name, listener) {
    _listeners.set(name, [...(_listeners.get(name) || []), listener])
  }

  /**
   * @param {string} name
   * @param {any} [data]
   */
  function emit (name, data) {
    for (const listener of _listeners.get(name) || []) {
      listener(data)
    }
  }

  return { on, emit }
})()
