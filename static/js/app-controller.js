/** Takes messages of the server and actions of the person, changes `State`, has the page drawn again. */
const AppController = (function () {
  'use strict'

  const _state = State.data
  const _ERROR_TAKEN = 205
  const _ERROR_TIMEOUT = 309

  /** @type {{ code: number, message: string, context: any } | null} */
  let _lastError = null
  /** The match shall start as soon as the table is there. */
  let _startsAtOnce = false
  /** A dialog that waits until the present one is closed. @type {'' | 'round' | 'result'} */
  let _nextDialog = ''

  /* ---- what the server tells ---- */

  /**
   * The whole state: at the start, and after each interruption.
   *
   * @param {any} context - of the own `player_joined`
   */
  function _onSnapshot (context) {
    const { sent } = _state
    Page.cancel('loss')
    _lastError = null
    if (context.sessionId !== User.sessionId) {
      State.reset()
      _nextDialog = ''
    }
    State.load(context)
    _state.sent = sent && Network.isUnconfirmed(sent.id) ? sent : null
    User.update({ sessionId: context.sessionId, table: _state.tableName, name: _state.playerNames[_state.playerIndex] })
    if (location.search) {
      history.replaceState(null, '', location.pathname)
    }
    const view = _state.isRunning || (_state.view === 'table' && _state.isMatchOver) ? 'table' : 'lobby'
    Page.set({ view, connection: 'open', isLossNoticed: false, loginNote: '', refusal: '' })
    if (_state.deadline) {
      _tick()
    }
    if (_startsAtOnce && !_state.isRunning) {
      _start()
    }
    _startsAtOnce = false
  }

  /**
   * @param {OpenRequest} request
   */
  function _onRequest (request) {
    // After a refused answer the same request comes again; the reason stays.
    const isNew = request.requestId !== _state.request?.requestId
    State.ask(request)
    if (isNew) {
      _state.refusal = ''
      Speech.say(Speech.question(request))
    }
    ViewManager.draw()
  }

  /**
   * @param {{ event: string, context: any, number?: number }} notification
   */
  function _onNotification ({ event, context, number }) {
    // Whoever comes back has been sitting there; `player_reconnected` says it.
    const isBack = event === 'player_joined' && context.playerName === _state.playerNames[context.playerIndex]
    const news = isBack ? '' : event
    Effects.around(news, context, () => {
      State.apply(event, context)
      _state.number = number ?? _state.number
      _follow(news, context)
      ViewManager.draw()
    })
  }

  /**
   * What else changes with an event.
   *
   * @param {string} event
   * @param {any} context
   */
  function _follow (event, context) {
    switch (event) {
      case 'player_joined':
      case 'player_left':
      case 'player_disconnected':
      case 'player_reconnected':
        State.apply('chat', { name: '', text: Speech.sentence(event, context) })
        break
      case 'player_turn_changed':
      case 'round_started':
      case 'hand_cards_dealt':
      case 'start_playing':
        _state.refusal = ''
        break
      case 'game_started':
        _nextDialog = ''
        Object.assign(_state, { view: 'table', dialog: '', question: null })
        break
      case 'round_over':
        _open('round')
        break
      case 'game_over':
        _open('result')
        break
      case 'chat':
        if (context.playerIndex !== _state.playerIndex && _state.dialog !== 'chat' && !ViewManager.isChatVisible()) {
          _state.unreadChats += 1
        }
        break
      case 'table_closing':
        _state.loginNote = I18n.t('The table has been closed.')
        break
      case 'deadline':
        _tick()
        break
    }
  }

  /**
   * Opens a dialog now, or after what is open.
   *
   * @param {'round' | 'result'} dialog
   */
  function _open (dialog) {
    _nextDialog = dialog
    _openNext()
  }

  /** Opens the dialog that waits, unless something is open. */
  function _openNext () {
    if (!_state.dialog && !_state.question) {
      _state.dialog = _nextDialog
      _nextDialog = ''
    }
  }

  /** Keeps the clock of a turn limit going. */
  function _tick () {
    Page.later('clock', 1000, () => {
      ViewManager.draw()
      if (_state.deadline) {
        _tick()
      }
    })
  }

  /* ---- the connection ---- */

  /**
   * @param {Record<string, string>} query
   */
  function _connect (query) {
    _lastError = null
    Page.set({ view: _state.view === 'table' ? 'table' : 'loading', connection: 'connecting', isLossNoticed: false, lossReason: '', loginNote: '' })
    _noticeLoss()
    Network.open(query)
  }

  function _noticeLoss () {
    Page.later('loss', Config.LOST_NOTICE_MS, () => Page.set({ isLossNoticed: true }))
  }

  /**
   * @param {{ isFinal: boolean }} close
   */
  function _onClose ({ isFinal }) {
    const reason = _lastError ? Controls.refusal(_lastError) : ''
    const isTaken = _lastError?.code === _ERROR_TAKEN
    _lastError = null
    if (isFinal && isTaken) {
      Page.cancel('loss')
      Page.set({ connection: 'taken', isLossNoticed: false })
    }
    else if (isFinal) {
      _toLogin(_state.loginNote || reason || I18n.t('The connection has been closed.'))
    }
    else if (_state.connection === 'open') {
      Page.set({ connection: 'lost', isHolding: false, lossReason: reason })
      _noticeLoss()
    }
    else {
      Page.set({ lossReason: reason })
    }
  }

  /**
   * Leads back to the start and forgets the seat.
   *
   * @param {string} loginNote
   */
  function _toLogin (loginNote) {
    Network.close()
    Inbox.clear()
    Page.cancel('loss')
    if (_state.connection !== 'taken') {
      // Otherwise it is that of another window, which goes on with it.
      User.update({ sessionId: '' })
    }
    State.reset()
    _startsAtOnce = false
    _nextDialog = ''
    Page.set({ view: 'login', connection: 'none', isLossNoticed: false, loginNote })
    _lookForTables()
  }

  /** Shows the open tables as long as the start is shown. */
  async function _lookForTables () {
    if (_state.view !== 'login') {
      return
    }
    try {
      const response = await fetch('/tables.json')
      /** @type {OpenTable[]} */
      const tables = Lib.camelCase(await response.json()).tables
      Page.set({ openTables: tables.filter(table => table.freeSeats && !Config.PRIVATE_TABLE.test(table.name)) })
    }
    catch (error) {
      // Without an answer the list stays as it is.
    }
    Page.later('tables', Config.TABLES_MS, _lookForTables)
  }

  /**
   * @param {{ id?: string, code: number, message: string, context: any, command?: Message }} error
   */
  function _onError (error) {
    const isRefusal = error.command !== undefined || error.code === _ERROR_TIMEOUT
    if (!isRefusal) {
      // The server closes the connection next, and this is why.
      _lastError = error
      return
    }
    if (Commands.fail(error.id)) {
      _state.view = _state.view === 'loading' ? 'lobby' : _state.view
    }
    if (error.command?.type === 'chat') {
      ViewManager.fillChat(error.command.payload.text)
      Page.toast(Controls.refusal(error))
    }
    else {
      Page.refuse(Controls.refusal(error))
    }
  }

  /* ---- the start and the lobby ---- */

  /**
   * @param {string} playerName
   * @param {string} tableName
   */
  function _login (playerName, tableName) {
    if (playerName.trim() && tableName.trim()) {
      User.update({ name: playerName.trim(), table: tableName.trim(), sessionId: '' })
      _connect({ playerName, tableName })
    }
  }

  function _playAtOnce () {
    const animals = [I18n.t('Crane'), I18n.t('Otter'), I18n.t('Heron'), I18n.t('Panda'), I18n.t('Carp'), I18n.t('Tiger')]
    _startsAtOnce = true
    _login(User.name || Lib.pick(animals), `${Lib.pick(animals)} #${Lib.randomId().slice(0, 8)}`)
  }

  /**
   * Sends a command of the lobby. It is refused while another one is under way, for its answer may change this one.
   *
   * @param {string} type
   * @param {Record<string, any>} [payload]
   * @returns {boolean} whether it was sent
   */
  function _manage (type, payload) {
    if (_state.sent) {
      Page.refuse(_state.connection === 'open' ? I18n.t('One moment …') : I18n.t('Back in a moment.'))
      return false
    }
    Page.send(type, type, payload)
    return true
  }

  function _start () {
    if (_manage('start_game')) {
      Page.set({ view: 'loading', dialog: '', isMatchOver: false })
    }
  }

  /**
   * @param {number} seat
   */
  function _pickForSwap (seat) {
    const { swapPick } = _state
    if (swapPick < 0 || swapPick === seat) {
      Page.set({ swapPick: swapPick === seat ? -1 : seat })
      return
    }
    Page.set({ swapPick: -1 })
    _manage('swap_players', { playerIndex1: swapPick, playerIndex2: seat })
  }

  async function _copyInvitation () {
    try {
      await navigator.clipboard.writeText(LobbyView.invitation())
      Page.toast(I18n.t('Link copied.'))
    }
    catch (error) {
      // Without TLS there is no clipboard, but there is the old way.
      const link = document.querySelector('.invite output')
      if (link) {
        window.getSelection()?.selectAllChildren(link)
      }
      Page.toast(document.execCommand('copy') ? I18n.t('Link copied.') : I18n.t('Please copy the marked link.'))
    }
  }

  /* ---- dialogs ---- */

  function _closeModal () {
    if (_state.question) {
      _state.question = null
    }
    else {
      if (_state.dialog === 'result') {
        Object.assign(_state, { view: _state.isRunning ? 'table' : 'lobby', isMatchOver: false })
      }
      _state.dialog = ''
    }
    _openNext()
    ViewManager.draw()
  }

  /**
   * @param {string} answer
   */
  function _answerQuestion (answer) {
    const { question } = _state
    _closeModal()
    if (question?.kind === 'reading') {
      TableController.play(question.readings?.[Number(answer)])
    }
    else if (question && answer === 'yes') {
      switch (question.kind) {
        case 'grand': TableController.callGrand(); break
        case 'tichu': TableController.callTichu(); break
        case 'kick': _manage('kick', { playerIndex: question.seat }); break
        case 'leave': _leave(); break
      }
    }
  }

  function _leave () {
    if (!['open', 'taken'].includes(_state.connection)) {
      Page.refuse(I18n.t('Back in a moment.'))
      return
    }
    if (_state.connection === 'open') {
      Network.send('leave')
    }
    _toLogin('')
  }

  /**
   * @param {Partial<Settings>} changes
   */
  function _changeSettings (changes) {
    User.update({ settings: { ...User.settings, ...changes } })
    ViewManager.draw()
  }

  /**
   * @param {string} language
   */
  async function _speak (language) {
    const { index, language: before } = User.settings
    await I18n.use(language)
    _changeSettings({ language, index: index === before ? language : index })
  }

  function _openChat () {
    _state.unreadChats = 0
    if (!ViewManager.focusChat()) {
      Page.set({ dialog: 'chat' })
    }
  }

  /* ---- */

  /** @type {Record<string, (data: any) => void>} */
  const _subscriptions = {
    'inbox:snapshot': _onSnapshot,
    'inbox:notification': _onNotification,
    'inbox:request': _onRequest,
    'network:ack': ack => {
      Commands.confirm(ack)
      ViewManager.draw()
    },
    'network:error': _onError,
    'network:close': _onClose,

    'page:language': ({ arg }) => { _speak(arg) },
    'page:rules': () => Page.set({ dialog: 'rules' }),
    'page:settings': () => Page.set({ dialog: 'settings' }),
    'page:score': () => Page.set({ dialog: 'score' }),
    'page:last': () => Page.set({ dialog: 'last' }),
    'page:chat': _openChat,
    'page:goOnHere': () => _connect({ sessionId: User.sessionId }),

    'loadingView:cancel': () => _toLogin(''),
    'loginView:playAtOnce': _playAtOnce,
    'loginView:login': ({ fields }) => _login(fields.name, fields.table),
    'loginView:sit': ({ arg }) => ViewManager.fillLogin(arg),

    'lobbyView:swap': ({ arg }) => _pickForSwap(Number(arg)),
    'lobbyView:kick': ({ arg }) => Page.set({ question: { kind: 'kick', seat: Number(arg) } }),
    'lobbyView:strength': ({ arg, value }) =>
      _manage('options', { strengths: _state.options.strengths.map((each, seat) => seat === Number(arg) ? value : each) }),
    'lobbyView:option': ({ arg, value }) => _manage('options', { [arg]: arg === 'rules' ? value : Number(value) }),
    'lobbyView:copy': () => { _copyInvitation() },
    'lobbyView:start': () => _state.hostIndex === _state.playerIndex ? _start() : Page.toast(I18n.t('Only the host can do this.')),
    'lobbyView:leave': () => Page.set({ question: { kind: 'leave' } }),
    'chat:say': ({ fields }) => fields.text.trim() && Network.send('chat', { text: fields.text.trim() }),

    'modals:close': _closeModal,
    'modals:answer': ({ arg }) => _answerQuestion(arg),
    'modals:toggle': ({ arg }) => _changeSettings({ [arg]: arg === 'sound' ? !User.settings.sound : !User.settings.confirm }),
    'modals:pace': ({ arg }) => _changeSettings({ pace: Number(arg) }),
    'modals:index': ({ arg }) => _changeSettings({ index: arg }),
    'modals:suits': ({ arg }) => _changeSettings({ suits: arg }),
    'modals:leave': () => Page.set({ dialog: '', question: { kind: 'leave' } }),
    'modals:rematch': _start
  }

  /** Starts the page: goes on where the person was, or shows the start. */
  function start () {
    for (const [name, listener] of Object.entries(_subscriptions)) {
      EventBus.on(name, listener)
    }
    for (const [target, name] of /** @type {Array<[EventTarget, string]>} */ ([[document, 'visibilitychange'], [window, 'online'], [window, 'offline']])) {
      target.addEventListener(name, () => document.hidden || Network.check())
    }
    const invited = LoginView.invitedTable()
    if (User.sessionId && (!invited || invited === User.table)) {
      _connect({ sessionId: User.sessionId })
    }
    else {
      Page.set({ view: 'login' })
      _lookForTables()
    }
  }

  return { start }
})()
