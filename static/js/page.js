/** What the controllers do with the page: change it now or later, say something on it, send what the person wants. */
const Page = (function () {
  'use strict'

  const _state = State.data
  /** @type {Record<string, ReturnType<typeof setTimeout>>} */
  const _timers = {}

  /**
   * Changes the state, and the page with it.
   *
   * @param {Partial<typeof State.data>} changes
   */
  function set (changes) {
    Object.assign(_state, changes)
    ViewManager.draw()
  }

  /**
   * Does something later, instead of what was to be done under this name.
   *
   * @param {string} name
   * @param {number} ms
   * @param {() => void} act
   */
  function later (name, ms, act) {
    clearTimeout(_timers[name])
    _timers[name] = setTimeout(act, ms)
  }

  /**
   * @param {string} name - of what is no longer to be done
   */
  function cancel (name) {
    clearTimeout(_timers[name])
  }

  /**
   * Shows a sentence for a moment.
   *
   * @param {string} text
   */
  function toast (text) {
    Speech.say(text)
    set({ toast: text })
    later('toast', Config.TOAST_MS, () => set({ toast: '' }))
  }

  /**
   * Says why something is not done.
   *
   * @param {string} refusal
   */
  function refuse (refusal) {
    set({ refusal })
    Effects.refuse(refusal)
  }

  /**
   * Sends a command, unless one is under way.
   *
   * @param {string} action - what the buttons call it
   * @param {string} type
   * @param {Record<string, any>} [payload]
   * @param {Card[]} [cards]
   * @param {Combination} [combination]
   */
  function send (action, type, payload, cards, combination) {
    Commands.send(action, type, payload, cards, combination)
    set({ refusal: '' })
  }

  /**
   * Answers the open request.
   *
   * @param {string} action
   * @param {Record<string, any>} responseData
   * @param {Card[]} [cards]
   * @param {Combination} [combination]
   */
  function answer (action, responseData, cards, combination) {
    const request = Controls.request()
    if (request) {
      send(action, 'response', { action: request.action, responseData, requestId: request.requestId }, cards, combination)
    }
  }

  return { set, later, cancel, toast, refuse, send, answer }
})()
