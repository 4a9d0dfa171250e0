/** The keys of the table. Single letters act only while no field and no dialog has the focus. */
const Keyboard = (function () {
  'use strict'

  const _RIGHT_SLOT = 2

  /**
   * @returns {HTMLElement[]} the cards of the hand, in their order
   */
  function _cards () {
    return [...document.querySelectorAll('.hand .card')].filter(card => card instanceof HTMLElement)
  }

  /**
   * @param {HTMLElement} card
   * @param {number} direction - 1 down, -1 up
   * @returns {HTMLElement | undefined} the nearest card of the next row
   */
  function _neighbour (card, direction) {
    const { offsetLeft, offsetTop } = card
    /** @type {(each: HTMLElement) => number} */
    const distance = each => Math.abs(each.getBoundingClientRect().left - card.getBoundingClientRect().left)
    return _cards()
      .filter(each => (each.offsetTop - offsetTop) * direction > 0)
      .sort((a, b) => distance(a) - distance(b) || a.offsetLeft - offsetLeft - (b.offsetLeft - offsetLeft))[0]
  }

  /**
   * @param {string} key
   * @param {HTMLElement} card - that has the focus
   * @returns {HTMLElement | undefined} where the focus goes
   */
  function _move (key, card) {
    const cards = _cards()
    const index = cards.indexOf(card)
    switch (key) {
      case 'ArrowRight': return cards[index + 1]
      case 'ArrowLeft': return cards[index - 1]
      case 'ArrowDown': return _neighbour(card, 1)
      case 'ArrowUp': return _neighbour(card, -1)
      case 'Home': return cards[0]
      case 'End': return cards.at(-1)
    }
    return undefined
  }

  /**
   * @param {KeyboardEvent} event
   * @param {HTMLElement} card
   * @returns {boolean} whether the key meant something
   */
  function _inHand (event, card) {
    if (event.key === ' ') {
      EventBus.emit('tableView:card', { arg: card.dataset.arg })
      return true
    }
    if (event.key === 'Enter') {
      EventBus.emit('tableView:act', { arg: _RIGHT_SLOT, isKeyboard: true })
      return true
    }
    const next = _move(event.key, card)
    next?.focus()
    return Boolean(next)
  }

  /**
   * @param {string} action
   * @returns {boolean}
   */
  function _button (action) {
    const slot = Controls.buttons().findIndex(button => button.action === action)
    if (slot >= 0) {
      EventBus.emit('tableView:act', { arg: slot, isKeyboard: true })
    }
    return slot >= 0
  }

  /**
   * @param {string} name
   * @param {any} [data]
   * @returns {true}
   */
  function _emit (name, data) {
    EventBus.emit(name, data)
    return true
  }

  /**
   * @param {string} key
   * @returns {boolean} whether the key meant something
   */
  function _anywhere (key) {
    switch (key.toLowerCase()) {
      case 'p': return _button('pass')
      case 't': return _button('tichu') || _button('grand')
      case 's': return _button('choose')
      case 'b': return _emit('tableView:bomb')
      case 'l': return _emit('page:last')
      case 'c': return _emit('page:chat')
      case 'escape': return _emit('tableView:clear')
      case '1': return _emit('tableView:zone', { arg: 3 })
      case '2': return _emit('tableView:zone', { arg: 2 })
      case '3': return _emit('tableView:zone', { arg: 1 })
    }
    return false
  }

  /**
   * A key that is held moves the focus on; whatever else it means it means once.
   *
   * @param {KeyboardEvent} event
   */
  function press (event) {
    const target = /** @type {HTMLElement} */ (event.target)
    const isInHand = target.matches('.hand .card')
    if (event.repeat && !event.key.startsWith('Arrow')) {
      return
    }
    if ((isInHand && _inHand(event, target)) || _anywhere(event.key)) {
      event.preventDefault()
    }
  }

  return { press }
})()
