/**
 * The replay page. It gets a round at a time from its own address, steps through it, and keeps the position in the
 * fragment: `#r3.17` is round 3, step 17; `#r3` is where it begins.
 */
(async function () {
  'use strict'

  /** @type {ReplayState} */
  const _state = { round: null, step: 0, isPlaying: false, speed: 1, notice: '', remedy: '', isHelpOpen: false }
  /** @type {Map<number, ReplayRound>} */
  const _rounds = new Map()
  let _wanted = 0
  /** Asks anew for what could not be had. */
  let _again = () => {}
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let _timer

  /* ---- where we are ---- */

  /**
   * @returns {number} the last step of the round
   */
  function _end () {
    return Math.max(0, (_state.round?.steps.length || 0) - 1)
  }

  /**
   * @returns {boolean} whether nothing comes after the step that is shown
   */
  function _isOver () {
    return _state.step === _end() && _state.round?.number === _state.round?.results.length
  }

  /**
   * @param {Partial<ReplayState>} changes
   */
  function _set (changes) {
    Object.assign(_state, changes)
    ReplayView.draw(_state)
  }

  /**
   * Shows a step. Playing ends with the match, and where the rules cannot follow a log.
   *
   * @param {number} step
   */
  function _go (step) {
    const { round } = _state
    if (!round) {
      return
    }
    const shown = Math.min(Math.max(step, 0), _end())
    const isEnd = shown === _end() && (round.number === round.results.length || !round.steps.at(-1)?.result)
    const isPlaying = _state.isPlaying && !isEnd
    history.replaceState(null, '', `#r${round.number}.${shown}`)
    _set({ step: shown, isPlaying, notice: '', remedy: '' })
    const live = document.getElementById('live')
    if (live) {
      live.textContent = round.steps[shown] ? ReplayText.sentence(round, shown) : ReplayText.end(round)
    }
    clearTimeout(_timer)
    if (isPlaying) {
      _timer = setTimeout(_next, 1000 / _state.speed)
    }
  }

  /**
   * @param {number} number
   * @returns {Promise<ReplayRound>}
   */
  async function _load (number) {
    const known = _rounds.get(number)
    if (known) {
      return known
    }
    if (number < 1 || number > (_state.round?.results.length || number)) {
      return _load(1)
    }
    const response = await fetch(`?round=${number}`, { headers: { Accept: 'application/json' } })
    if (response.redirected) {
      throw new Error(I18n.t('You have been logged out.'), { cause: 'replay:login' })
    }
    if (response.status === 404 && number !== 1) {
      return _load(1)
    }
    if (!response.ok) {
      const page = new DOMParser().parseFromString(await response.text(), 'text/html')
      throw new Error(page.querySelector('main p')?.textContent || I18n.t('The server cannot answer now.'))
    }
    const round = await response.json()
    _rounds.set(round.number, round)
    return round
  }

  /**
   * Shows a round; what was asked for last wins.
   *
   * @param {number} number
   * @param {number} step - Infinity is the end
   */
  async function _show (number, step) {
    const wanted = ++_wanted
    clearTimeout(_timer)
    _again = () => _show(number, step)
    try {
      const round = await _load(number)
      if (wanted === _wanted) {
        _state.round = round
        document.title = `${ReplayText.teams(round)} · ${ReplayText.source(round)}`
        _go(round.number === number ? step : 0)
        if (round.number !== number || (Number.isFinite(step) && step > _end())) {
          _set({ notice: I18n.t('There is no such position here.') })
        }
      }
    }
    catch (error) {
      if (wanted === _wanted) {
        const { message, cause = 'replay:again' } = /** @type {Error} */ (error)
        const notice = error instanceof TypeError ? I18n.t('The server cannot be reached.') : message
        _set({ isPlaying: false, notice, remedy: String(cause) })
      }
    }
  }

  /* ---- what the person does ---- */

  /**
   * @param {number} by - 1 or -1
   */
  function _turnRound (by) {
    const { round } = _state
    if (round && round.number + by >= 1 && round.number + by <= round.results.length) {
      _show(round.number + by, 0)
    }
  }

  /** Goes a step on, over the end of a round, too. */
  function _next () {
    const { round, step } = _state
    if (!round) {
      return
    }
    if (step < _end()) {
      _go(step + 1)
    }
    else {
      _turnRound(1)
    }
  }

  function _back () {
    const { round, step } = _state
    if (step > 0) {
      _go(step - 1)
    }
    else if (round && round.number > 1) {
      _show(round.number - 1, Infinity)
    }
  }

  /**
   * Goes to where a trick begins.
   *
   * @param {number} by - 1 the next one, -1 the one before
   */
  function _turnTrick (by) {
    const steps = _state.round?.steps || []
    const leads = steps.flatMap((step, index) => step.trick?.length === 1 && step.trick[0] === index ? [index] : [])
    _go((by > 0 ? leads.find(at => at > _state.step) : leads.findLast(at => at < _state.step)) ?? (by > 0 ? _end() : 0))
  }

  /** Plays, or pauses. */
  function _play () {
    _state.isPlaying = !_state.isPlaying && !_isOver()
    if (_state.isPlaying) {
      _next()
    }
    else {
      _go(_state.step)
    }
  }

  /** Goes to where the address says. There is no round 0. */
  function _follow () {
    const [, number = '0', step = '0'] = /^#r(\d{1,6})(?:\.(\d{1,6}))?$/.exec(location.hash || '#r1') || []
    _show(Number(number), Number(step))
  }

  /** Opens the help, or closes it; then the focus goes back to where it was. */
  function _help () {
    document.querySelector('dialog')?.close()
    _set({ isHelpOpen: !_state.isHelpOpen })
  }

  /** @type {Record<string, (argument: string) => void>} */
  const _deeds = {
    'replay:first': () => _go(0),
    'replay:back': _back,
    'replay:play': _play,
    'replay:forward': _next,
    'replay:last': () => _go(_end()),
    'replay:go': argument => _go(Number(argument)),
    'replay:previousRound': () => _turnRound(-1),
    'replay:nextRound': () => _turnRound(1),
    'replay:round': argument => _show(Number(argument), 0),
    'replay:speed': argument => {
      _state.speed = Number(argument)
      _go(_state.step)
    },
    'replay:help': _help,
    'replay:again': () => _again(),
    // The server asks who is there; the fragment stays.
    'replay:login': () => location.reload()
  }

  /** @type {Record<string, () => void>} */
  const _keys = {
    ArrowLeft: _back,
    ArrowRight: _next,
    ArrowUp: () => _turnTrick(-1),
    ArrowDown: () => _turnTrick(1),
    Home: () => _go(0),
    End: () => _go(_end()),
    PageUp: () => _turnRound(-1),
    PageDown: () => _turnRound(1),
    ' ': _play,
    '?': _help
  }

  /** What these do the browser knows, where lines of a log are scrolled. */
  const _SCROLLING = ['ArrowUp', 'ArrowDown', 'Home', 'End', 'PageUp', 'PageDown', ' ']

  /**
   * @param {Event} event
   */
  function _click (event) {
    const element = event.target instanceof Element ? event.target.closest('button[data-do]') : null
    if (element instanceof HTMLElement && element.getAttribute('aria-disabled') !== 'true') {
      _deeds[element.dataset.do || '']?.(element.dataset.arg || '')
    }
  }

  /**
   * @param {Event} event
   */
  function _change (event) {
    if (event.target instanceof HTMLSelectElement) {
      _deeds[event.target.dataset.do || '']?.(event.target.value)
    }
  }

  /**
   * @param {KeyboardEvent} event
   */
  function _keyDown (event) {
    const target = /** @type {Element} */ (event.target)
    const isOther = target.matches('button:focus-visible')
      ? event.key === ' '
      : target.matches('select:focus-visible')
        ? event.key !== 'ArrowLeft' && event.key !== 'ArrowRight'
        : target.matches('.steps:focus-visible') && _SCROLLING.includes(event.key)
    if (event.ctrlKey || event.metaKey || event.altKey || isOther || _state.isHelpOpen || !_state.round) {
      return
    }
    const act = _keys[event.key]
    if (act) {
      event.preventDefault()
      act()
    }
  }

  /**
   * Escape closes what is drawn from the state, not just what the browser shows.
   *
   * @param {Event} event
   */
  function _dismiss (event) {
    event.preventDefault()
    _help()
  }

  document.documentElement.dataset.suits = User.settings.suits
  await I18n.use(User.settings.language)
  document.addEventListener('click', _click)
  document.addEventListener('change', _change)
  document.addEventListener('keydown', _keyDown)
  document.addEventListener('cancel', _dismiss, true)
  window.addEventListener('hashchange', _follow)
  window.addEventListener('resize', () => ReplayView.draw(_state))
  ReplayView.draw(_state)
  _follow()
})()
