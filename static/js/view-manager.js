/** Which view is shown. It draws the view and tells the bus what the person does in it. */
const ViewManager = (function () {
  'use strict'

  const _state = State.data
  /** @type {Record<string, { draw: () => HTMLElement }>} */
  const _views = { loading: LoadingView, login: LoginView, lobby: LobbyView, table: TableView }
  /** Where the focus goes when its element is gone. */
  const _REFUGES = ['.ask [tabindex="0"]', '.ask .btn', '.hand [tabindex="0"]', '.actions .btn', 'main .btn']

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let _holdTimer
  /** A long press has done its work: the click that ends it does nothing. */
  let _isClickSpent = false
  /** The dialog of the last click. @type {Element | null} */
  let _clickedDialog = null

  /**
   * @param {string} id
   * @returns {HTMLElement}
   */
  function _place (id) {
    return /** @type {HTMLElement} */ (document.getElementById(id))
  }

  /** Draws the page as `State` says. */
  function draw () {
    const { suits, pace } = User.settings
    const root = document.documentElement
    root.dataset.suits = suits
    root.style.setProperty('--speed', String(Motion.isOff() ? 0 : pace))
    const focused = document.activeElement
    const panel = document.querySelector('.ask')
    const wrapper = _place('wrapper')
    const readBack = _chatsReadBack()
    const fresh = Lib.h('div', null, _views[_state.view].draw())
    Lib.morphChildren(wrapper, fresh)
    Modals.draw(_place('modals'))
    for (const log of document.querySelectorAll('.chat-log')) {
      log.scrollTop = readBack.includes(log) ? log.scrollTop : log.scrollHeight
    }
    _keepFocus(focused, panel)
  }

  /**
   * @returns {Element[]} the chats in which the person has scrolled back
   */
  function _chatsReadBack () {
    return [...document.querySelectorAll('.chat-log')].filter(log => log.scrollHeight - log.scrollTop - log.clientHeight > 40)
  }

  /**
   * A panel that opens takes the focus; an element that is gone gives it to the nearest thing that makes sense.
   *
   * @param {Element | null} focused - before the drawing
   * @param {Element | null} panel - that was open before
   */
  function _keepFocus (focused, panel) {
    if (document.querySelector('dialog[open]')) {
      return
    }
    const opened = document.querySelector('.ask')
    const isTyping = document.activeElement instanceof HTMLInputElement
    const isLost = document.activeElement === document.body && focused !== document.body
    if (isLost || (opened && opened !== panel && !isTyping)) {
      const refuge = _REFUGES.map(selector => document.querySelector(selector)).find(Boolean)
      if (refuge instanceof HTMLElement) {
        refuge.focus({ preventScroll: true })
      }
    }
  }

  /**
   * @param {Event} event
   * @returns {HTMLElement | null} what the event is about
   */
  function _doer (event) {
    return event.target instanceof Element ? event.target.closest('[data-do]') : null
  }

  /**
   * @param {HTMLElement} element
   * @param {Record<string, any>} [more]
   */
  function _tell (element, more = {}) {
    EventBus.emit(element.dataset.do || '', { arg: element.dataset.arg || '', ...more })
  }

  /**
   * @param {MouseEvent} event
   */
  function _click (event) {
    const element = _doer(event)
    const dialog = /** @type {Element} */ (event.target).closest('dialog')
    const isStray = event.detail > 1 && dialog !== _clickedDialog
    _clickedDialog = dialog
    if (isStray) {
      // The second half of a double click, whose first half has opened or closed a dialog.
      return
    }
    if (event.target instanceof HTMLDialogElement) {
      EventBus.emit('modals:close')
    }
    else if (_isClickSpent) {
      _isClickSpent = false
    }
    else if (element && !(element instanceof HTMLFormElement || element instanceof HTMLSelectElement)) {
      _tell(element, { isKeyboard: event.detail === 0 })
    }
  }

  /**
   * @param {Event} event
   */
  function _submit (event) {
    const form = /** @type {HTMLFormElement} */ (event.target)
    event.preventDefault()
    _tell(form, { fields: Object.fromEntries(new FormData(form)) })
    if (form.classList.contains('chat-form')) {
      form.reset()
    }
  }

  /**
   * @param {Event} event
   */
  function _change (event) {
    if (event.target instanceof HTMLSelectElement) {
      _tell(event.target, { value: event.target.value })
    }
  }

  /* ---- the long press ---- */

  /**
   * @param {HTMLElement | null | undefined} button
   */
  function _startHold (button) {
    const action = button?.dataset.hold
    if (!action || button.getAttribute('aria-disabled') || _holdTimer) {
      return
    }
    EventBus.emit('tableView:holding', true)
    _holdTimer = setTimeout(() => {
      _endHold()
      _isClickSpent = true
      EventBus.emit(action)
    }, Config.HOLD_MS)
  }

  /**
   * @returns {boolean} whether a press was under way
   */
  function _endHold () {
    const wasHolding = _holdTimer !== undefined
    clearTimeout(_holdTimer)
    _holdTimer = undefined
    if (wasHolding) {
      EventBus.emit('tableView:holding', false)
    }
    return wasHolding
  }

  /**
   * @param {PointerEvent} event
   */
  function _pointerDown (event) {
    _isClickSpent = false
    if (event.button === 0) {
      _startHold(_doer(event))
    }
  }

  /**
   * A long press is no wish for a menu.
   *
   * @param {Event} event
   */
  function _contextMenu (event) {
    if (_doer(event)?.dataset.hold) {
      event.preventDefault()
    }
  }

  /* ---- keys ---- */

  /**
   * A group of radio buttons is one tab stop; arrows choose.
   *
   * @param {KeyboardEvent} event
   * @param {HTMLElement} radio
   */
  function _radioKey (event, radio) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key]
    const radios = [...radio.parentElement?.querySelectorAll('[role=radio]') || []]
    if (!step) {
      return
    }
    event.preventDefault()
    const next = radios[(radios.indexOf(radio) + step + radios.length) % radios.length]
    if (next instanceof HTMLElement) {
      _tell(next)
      next.focus()
    }
  }

  /**
   * @param {KeyboardEvent} event
   */
  function _keyDown (event) {
    const element = _doer(event)
    _isClickSpent = false
    if (event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement) {
      return
    }
    if (event.repeat && event.key === 'Enter') {
      // The browser would press the button again and again, or the one that has taken its place.
      event.preventDefault()
    }
    if (element?.getAttribute('role') === 'radio') {
      _radioKey(event, element)
    }
    if (element?.dataset.hold && (event.key === 'Enter' || event.key === ' ')) {
      event.preventDefault()
      if (!event.repeat) {
        _startHold(element)
      }
    }
    else if (_state.view === 'table' && !_state.dialog && !_state.question) {
      Keyboard.press(event)
    }
  }

  /**
   * @param {KeyboardEvent} event
   */
  function _keyUp (event) {
    const element = _doer(event)
    if (_endHold() && element) {
      _tell(element, { isKeyboard: true })
    }
  }

  /**
   * Escape closes what is drawn from `State`, not just what the browser shows.
   *
   * @param {Event} event
   */
  function _dismiss (event) {
    if (event.target instanceof HTMLDialogElement && event.target.isConnected) {
      event.preventDefault()
      EventBus.emit('modals:close')
    }
  }

  /**
   * @param {Event} event
   */
  function _focusIn (event) {
    const element = _doer(event)
    if (element?.getAttribute('role') === 'option') {
      EventBus.emit('tableView:focus', { arg: element.dataset.arg })
    }
  }

  /**
   * @returns {HTMLInputElement | null} the chat's field beside the table, on wide screens
   */
  function _chatField () {
    const field = document.querySelector('.side .chat-form input')
    return field instanceof HTMLInputElement && field.offsetParent ? field : null
  }

  /**
   * @returns {boolean} whether the chat is in sight without being opened
   */
  function isChatVisible () {
    return _state.view === 'lobby' || _chatField() !== null
  }

  /**
   * Puts the focus into the chat beside the table.
   *
   * @returns {boolean} whether there is one
   */
  function focusChat () {
    const field = _chatField()
    field?.focus()
    return field !== null
  }

  /**
   * Puts a text that was refused back into the chat's field, unless something else stands there.
   *
   * @param {string} text
   */
  function fillChat (text) {
    const field = [...document.querySelectorAll('.chat-form input')].at(-1)
    if (field instanceof HTMLInputElement && !field.value) {
      field.value = text
    }
  }

  /**
   * Puts a table's name into the form of the start; joins it where the person's name is known.
   *
   * @param {string} table
   */
  function fillLogin (table) {
    const form = document.querySelector('.join')
    const name = document.getElementById('name')
    const field = document.getElementById('table')
    if (form instanceof HTMLFormElement && name instanceof HTMLInputElement && field instanceof HTMLInputElement) {
      field.value = table
      if (name.value.trim()) {
        form.requestSubmit()
      }
      else {
        name.focus()
      }
    }
  }

  /** Listens to the person. */
  function start () {
    document.addEventListener('click', _click)
    document.addEventListener('submit', _submit)
    document.addEventListener('change', _change)
    document.addEventListener('pointerdown', _pointerDown)
    document.addEventListener('pointerup', _endHold)
    document.addEventListener('pointercancel', _endHold)
    document.addEventListener('contextmenu', _contextMenu)
    document.addEventListener('keydown', _keyDown)
    document.addEventListener('keyup', _keyUp)
    document.addEventListener('focusin', _focusIn)
    document.addEventListener('cancel', _dismiss, true)
    for (const name of ['pointerdown', 'pointerup', 'keydown']) {
      document.addEventListener(name, SoundManager.unlock)
    }
  }

  return { draw, start, isChatVisible, focusChat, fillChat, fillLogin }
})()
