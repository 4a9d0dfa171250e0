/** Tests of the whole page against a server that is played here: messages in, messages out, what stands on the page. */
(async function () {
  'use strict'

  const { test, equal, ok } = TestRunner
  const SESSION = '5a1f8bd0-0000-4000-8000-000000000000'

  /** A WebSocket whose other end is in the hands of a test. */
  class FakeSocket {
    /** @type {FakeSocket[]} */
    static all = []

    /** @returns {FakeSocket} */
    static get last () {
      return /** @type {FakeSocket} */ (FakeSocket.all.at(-1))
    }

    /**
     * @param {string} url
     */
    constructor (url) {
      this.url = new URL(url)
      /** @type {any[]} */
      this.sent = []
      /** @type {(event: { data: string }) => void} */
      this.onmessage = () => {}
      /** @type {(event: { code: number }) => void} */
      this.onclose = () => {}
      FakeSocket.all.push(this)
    }

    /**
     * @param {string} text
     */
    send (text) {
      this.sent.push(JSON.parse(text))
    }

    close () {}

    /**
     * @param {string} type
     * @param {object} payload
     */
    say (type, payload) {
      this.onmessage({ data: JSON.stringify({ type, payload }) })
    }

    /**
     * @param {string} event
     * @param {object} context
     * @param {number} [number]
     */
    notify (event, context, number) {
      this.say('notification', { event, context, number })
    }

    /**
     * Confirms the last command.
     */
    confirm () {
      this.say('ack', { id: this.command.id, number: 10 })
    }

    /** @returns {any} the last command */
    get command () {
      return this.sent.at(-1)
    }
  }

  /**
   * @param {number} code
   */
  function drop (code) {
    FakeSocket.last.onclose({ code })
  }

  /**
   * @param {number} ms
   * @returns {Promise<void>}
   */
  function pass (ms) {
    return new Promise(resolve => setTimeout(resolve, ms))
  }

  /**
   * The state that the server tells: the own turn, on a pair of tens.
   *
   * @param {any} [changes] - of the public state
   * @param {any} [request]
   * @param {any} [more] - of the rest
   */
  function welcome (changes = {}, request = ANSWER, more = {}) {
    FakeSocket.last.notify('player_joined', {
      session_id: SESSION,
      public_state: {
        table_name: 'Kranich',
        player_names: ['Lena', 'Jonas', 'Mira', 'RuleAgent_4'],
        host_index: 0,
        is_running: true,
        current_turn_index: 0,
        start_player_index: 0,
        count_hand_cards: [4, 9, 11, 12],
        announcements: [0, 0, 0, 0],
        wish_value: -1,
        dragon_recipient: -1,
        trick_owner_index: 1,
        trick_combination: [2, 2, 10],
        trick_points: 20,
        tricks: [[[1, [[10, 1], [10, 2]], [2, 2, 10]], [2, [], [0, 0, 0]], [3, [], [0, 0, 0]]]],
        points: [0, 0, 0, 0],
        winner_index: -1,
        loser_index: -1,
        is_round_over: false,
        is_double_victory: false,
        game_score: [[], []],
        trick_counter: 0,
        ...changes
      },
      private_state: { player_index: 0, hand_cards: [[13, 3], [13, 1], [7, 4], [7, 3]], given_schupf_cards: null, received_schupf_cards: null },
      pending_action: request ? request.action : '',
      pending_request: request,
      number: 10,
      options: { rules: 'house', target_score: 1000, turn_limit_s: 0, strengths: ['RuleAgent', 'RuleAgent', 'RuleAgent', 'RuleAgent'] },
      agents: ['RuleAgent', 'MixedAgent', 'RandomAgent', 'PolicyAgent'],
      connected: [true, true, true, true],
      chances: { can_announce: false, bombs: [] },
      ...more
    })
  }

  const ANSWER = {
    action: 'play',
    request_id: '1-0',
    remaining_ms: null,
    context: {
      hand_cards: [],
      trick_combination: [2, 2, 10],
      wish_value: -1,
      legal: [{ values: [13, 13], combination: [2, 2, 13] }],
      may_pass: true,
      proposal: [[13, 3], [13, 1]]
    }
  }
  const KINGS = [[13, 3], [13, 1]]

  /** Sits down at a table where it is the own turn. */
  function sitDown () {
    EventBus.emit('loginView:login', { fields: { name: 'Lena', table: 'Kranich' } })
    welcome()
  }

  /**
   * @param {string} selector
   * @returns {HTMLElement}
   */
  function find (selector) {
    const element = document.querySelector(selector)
    if (!(element instanceof HTMLElement)) {
      throw new Error(`${selector} is not on the page`)
    }
    return element
  }

  /**
   * Presses a button as soon as a double click is over.
   *
   * @param {string} action
   */
  async function press (action) {
    await pass(360)
    find(`[data-action="${action}"]`).click()
  }

  /**
   * @returns {string}
   */
  function prompt () {
    return find('#prompt').textContent || ''
  }

  /**
   * @returns {number} how many sentences screen readers were told
   */
  function said () {
    return document.querySelectorAll('#live p, .live p').length
  }

  /**
   * Presses a key.
   *
   * @param {string} selector - what has the focus
   * @param {KeyboardEventInit} key
   * @returns {boolean} whether the browser does with it what it does
   */
  function type (selector, key) {
    return find(selector).dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...key }))
  }

  /**
   * @param {string} selector
   * @returns {string}
   */
  function text (selector) {
    return find(selector).textContent || ''
  }

  window.WebSocket = /** @type {any} */ (FakeSocket)
  User.update({ sessionId: '', settings: { ...User.settings, pace: 0, sound: false } })
  ViewManager.start()
  AppController.start()

  test('the address carries names, protocol and language', () => {
    sitDown()
    equal(Object.fromEntries(FakeSocket.last.url.searchParams), { player_name: 'Lena', table_name: 'Kranich', protocol: '2', lang: 'en' })
  })

  test('a running match shows the table, another one the lobby', () => {
    sitDown()
    ok(find('.table-view'))
    welcome({ is_running: false }, null)
    ok(find('.lobby'))
  })

  test('a suggestion is selected, played, confirmed, shown', async () => {
    sitDown()
    await press('choose')
    equal(document.querySelectorAll('.hand [aria-selected="true"]').length, 2)
    await press('play')
    const { type, payload } = FakeSocket.last.command
    equal([type, payload], ['response', { action: 'play', response_data: { cards: KINGS }, request_id: '1-0' }])
    FakeSocket.last.confirm()
    equal(prompt(), 'You play Pair K.')
    FakeSocket.last.notify('player_played', { turn: [0, KINGS, [2, 2, 13]], trick_points: 40, winner_index: -1 }, 11)
    equal(document.querySelectorAll('.hand .card').length, 2)
    equal(document.querySelectorAll('.pile:not(.old) .card').length, 2)
  })

  test('a second click while a command is under way sends nothing', async () => {
    sitDown()
    await press('pass')
    find('[data-action="pass"]').click()
    await press('pass')
    equal(FakeSocket.last.sent.length, 1)
  })

  test('the second half of a double click does not press what has taken the place', async () => {
    sitDown()
    await press('choose')
    find('[data-arg="2"][data-do="tableView:act"]').click()
    equal(FakeSocket.last.sent.length, 0)
  })

  test('the second half of a double click does not fall into another dialog', async () => {
    await pass(Config.LAST_PLAY_MS)
    sitDown()
    FakeSocket.last.notify('round_over', { points: [100, 0, 0, 0], loser_index: 2, is_double_victory: false }, 11)
    FakeSocket.last.notify('game_over', { game_score: [[1000], [0]] }, 12)
    const click = /** @param {number} detail @param {string} button */ (detail, button) =>
      find(`dialog [data-do="modals:${button}"]`).dispatchEvent(new MouseEvent('click', { bubbles: true, detail }))
    click(1, 'close')
    click(2, 'rematch')
    equal([FakeSocket.last.sent, State.data.dialog], [[], 'result'])
    click(1, 'rematch')
    equal(FakeSocket.last.command.type, 'start_game')
  })

  test('a key that is held does what it does once', async () => {
    sitDown()
    await press('choose')
    await pass(360)
    type('.hand .card', { key: 'Enter', repeat: true })
    equal(FakeSocket.last.sent, [])
    equal(type('[data-action="play"]', { key: 'Enter', repeat: true }), false, 'the native click')
    type('.hand .card', { key: 'Enter' })
    equal(FakeSocket.last.sent.length, 1)
  })

  test('which reading of the phoenix is played is said', async () => {
    sitDown()
    const values = [16, 13, 13, 7, 7]
    const legal = [{ values, combination: [5, 5, 13] }, { values, combination: [5, 5, 7] }]
    welcome({ trick_combination: [0, 0, 0], trick_owner_index: -1 }, { ...ANSWER, context: { ...ANSWER.context, trick_combination: [0, 0, 0], legal } })
    Object.assign(State.data, { handCards: ['Ph', 'GK', 'SK', 'R7', 'G7'], selection: ['Ph', 'GK', 'SK', 'R7', 'G7'] })
    ViewManager.draw()
    await press('play')
    find('dialog [data-arg="1"]').click()
    equal(FakeSocket.last.command.payload.response_data.rank, 7)
    equal(prompt(), 'You play Full house 7.')
  })

  test('before the exchange is over a bomb is not picked, and why', () => {
    sitDown()
    welcome({ start_player_index: -1, current_turn_index: -1, count_hand_cards: [8, 8, 8, 8] }, null)
    State.data.chances.bombs = [{ cards: ['G7', 'R7'], combination: [7, 4, 7], playable: false }]
    EventBus.emit('tableView:bomb')
    equal([State.data.selection, prompt()], [[], 'First come the calls and the exchange.'])
  })

  test('the own clock runs after a reload, until one has answered', async () => {
    sitDown()
    welcome({}, { ...ANSWER, remaining_ms: 30000 })
    equal(text('.seat.s .note'), '30 s')
    await pass(1100)
    equal(text('.seat.s .note'), '29 s')
    await press('pass')
    FakeSocket.last.confirm()
    equal(State.data.deadline, null)
  })

  test('somebody who comes back does not sit down once more', () => {
    sitDown()
    const lines = State.data.chat.length
    FakeSocket.last.notify('player_joined', { player_index: 1, player_name: 'Jonas' }, 11)
    FakeSocket.last.notify('player_reconnected', { player_index: 1 }, 12)
    equal(State.data.chat.slice(lines).map(({ text }) => text), ['Jonas is back.'])
  })

  test('a refusal shows its reason and gives the controls back', async () => {
    sitDown()
    await press('choose')
    await press('play')
    const { id } = FakeSocket.last.command
    FakeSocket.last.say('error', { id, code: 303, message: 'no', context: { cards: KINGS, reason: 'does_not_beat', rule: '3.5' } })
    equal(prompt(), 'These cards do not beat Pair 10.')
    equal(find('[data-action="play"]').getAttribute('aria-disabled'), null)
    equal(document.querySelectorAll('.hand [aria-selected="true"]').length, 2)
  })

  test('a disabled button says why', async () => {
    sitDown()
    await press('tichu')
    equal(prompt(), 'No Tichu after your first card.')
    equal(FakeSocket.last.sent.length, 0)
  })

  test('an event that was seen does not happen again', async () => {
    sitDown()
    await pass(Config.SPEECH_MS + 20)
    const twice = () => FakeSocket.last.notify('player_announced', { player_index: 2, grand: false }, 11)
    find('#live').replaceChildren()
    twice()
    twice()
    await pass(Config.SPEECH_MS + 20)
    equal(said(), 1, 'the number of sentences')
  })

  test('while a dialog is open it is the place where events are told', async () => {
    sitDown()
    await pass(Config.SPEECH_MS + 20)
    find('#live').replaceChildren()
    FakeSocket.last.notify('round_over', { points: [100, 0, 0, 0], loser_index: 2, is_double_victory: false }, 11)
    FakeSocket.last.notify('player_announced', { player_index: 2, grand: true }, 12)
    await pass(Config.SPEECH_MS + 20)
    ViewManager.draw()
    equal([...document.querySelectorAll('dialog .live p')].map(each => each.textContent),
      ['Round 1: us 100, them 0. Score 100 to 0.', 'Mira calls a grand Tichu.'])
    equal(said(), 2, 'the number of sentences')
  })

  test('the result of a match waits for what is open, and is gone with the next match', () => {
    sitDown()
    const over = /** @param {number} number */ number => FakeSocket.last.notify('game_over', { game_score: [[1000], [0]] }, number)
    EventBus.emit('page:settings')
    over(11)
    find('[data-do="modals:leave"]').click()
    find('dialog [data-arg="no"]').click()
    equal(State.data.dialog, 'result')
    FakeSocket.last.notify('game_started', {}, 12)
    EventBus.emit('page:settings')
    over(13)
    FakeSocket.last.notify('game_started', {}, 14)
    EventBus.emit('page:settings')
    EventBus.emit('modals:close')
    equal(State.data.dialog, '')
  })

  test('a question is not covered by the result of a round', () => {
    sitDown()
    EventBus.emit('modals:leave')
    FakeSocket.last.notify('round_over', { points: [100, 0, 0, 0], loser_index: 2, is_double_victory: false }, 11)
    equal(document.querySelectorAll('dialog').length, 1)
    find('dialog [data-arg="no"]').click()
    equal(State.data.dialog, 'round')
  })

  test('the three cards stay in their zones until they are on their way', async () => {
    sitDown()
    const exchange = { start_player_index: -1, current_turn_index: -1, count_hand_cards: [14, 14, 14, 14], tricks: [], trick_owner_index: -1, trick_combination: [0, 0, 0] }
    welcome(exchange, { action: 'schupf', request_id: '1-0', remaining_ms: null, context: {} })
    State.data.zones = ['GK', 'SK', 'R7']
    ViewManager.draw()
    await press('schupf')
    FakeSocket.last.confirm()
    equal([Controls.phase(), document.querySelectorAll('.zone .card').length], ['give', 3])
    FakeSocket.last.notify('player_schupfed', { given_schupf_cards: [[13, 3], [13, 1], [7, 4]] }, 11)
    equal([Controls.phase(), State.data.sent], ['given', null])
  })

  test('a second command of the lobby before the first is confirmed is refused, not forgotten', () => {
    sitDown()
    welcome({ is_running: false }, null)
    EventBus.emit('lobbyView:option', { arg: 'targetScore', value: '500' })
    EventBus.emit('lobbyView:start')
    equal(State.data.view, 'lobby')
    equal(text('.lobby .warning'), 'One moment …')
    FakeSocket.last.confirm()
    EventBus.emit('lobbyView:start')
    equal([FakeSocket.last.command.type, State.data.view], ['start_game', 'loading'])
  })

  test('a host chooses how strong an agent is, from easy to hard', () => {
    sitDown()
    welcome({ is_running: false }, null)
    const choice = /** @type {HTMLSelectElement} */ (find('.place[data-seat="3"] select'))
    equal([...choice.options].map(option => [option.text, option.selected]), [['Easy', false], ['Medium', true], ['Hard', false]])
    EventBus.emit('lobbyView:strength', { arg: '3', value: 'PolicyAgent' })
    equal(FakeSocket.last.command.payload, { strengths: ['RuleAgent', 'RuleAgent', 'RuleAgent', 'PolicyAgent'] })
  })

  test('only agents that the table knows are offered, and the one that sits there', () => {
    sitDown()
    const options = { rules: 'house', target_score: 1000, turn_limit_s: 0, strengths: ['RuleAgent', 'RuleAgent', 'RuleAgent', 'RandomAgent'] }
    welcome({ is_running: false, player_names: ['Lena', 'Jonas', 'Mira', 'RandomAgent_4'] }, null, { agents: ['RuleAgent', 'RandomAgent'], options })
    const choice = /** @type {HTMLSelectElement} */ (find('.place[data-seat="3"] select'))
    equal([...choice.options].map(option => option.value), ['RuleAgent', 'RandomAgent'])
  })

  test('options may change at any time', () => {
    sitDown()
    const options = { rules: 'house', target_score: 500, turn_limit_s: 60, strengths: ['RuleAgent', 'RuleAgent', 'RuleAgent', 'RuleAgent'] }
    FakeSocket.last.notify('options_changed', { options }, 11)
    equal([State.data.options.turnLimitS, State.data.view, Controls.phase()], [60, 'table', 'turn'])
  })

  test('a reason does not outlive the exchange', async () => {
    sitDown()
    await press('tichu')
    ok(State.data.refusal)
    FakeSocket.last.notify('start_playing', { start_player_index: 1, received_schupf_cards: [[2, 1], [3, 1], [4, 1]] }, 11)
    equal(State.data.refusal, '')
  })

  test('a gap in the numbers is asked for, and filled in order', () => {
    sitDown()
    FakeSocket.last.notify('player_announced', { player_index: 3, grand: false }, 12)
    equal(FakeSocket.last.command, { type: 'sync', payload: { since: 10 } })
    equal(State.data.announcements, [0, 0, 0, 0])
    FakeSocket.last.notify('player_announced', { player_index: 2, grand: false }, 11)
    FakeSocket.last.notify('player_announced', { player_index: 3, grand: false }, 12)
    equal(State.data.announcements, [0, 0, 1, 1])
  })

  test('a lost line: what was not confirmed is sent again under the same id, the selection stays', async () => {
    sitDown()
    await press('choose')
    await press('play')
    const before = FakeSocket.last
    drop(1006)
    equal(prompt(), 'Back in a moment.')
    await pass(Config.RETRY_MS + 100)
    ok(FakeSocket.last !== before, 'a new socket')
    equal(FakeSocket.last.url.searchParams.get('session_id'), SESSION)
    equal(FakeSocket.last.sent, [], 'before the seat is given nothing')
    welcome()
    equal(FakeSocket.last.sent, before.sent)
    equal(State.data.selection.length, 2)
    equal(find('[data-action="play"]').getAttribute('aria-disabled'), 'true', 'it is under way')
    FakeSocket.last.confirm()
    FakeSocket.last.notify('player_played', { turn: [0, KINGS, [2, 2, 13]], trick_points: 40, winner_index: -1 }, 11)
    equal(State.data.sent, null)
  })

  test('a command that the server had executed before the line broke is confirmed and over', async () => {
    sitDown()
    await press('pass')
    drop(4012)
    await pass(Config.RETRY_MS + 100)
    welcome({ current_turn_index: 1 }, null)
    FakeSocket.last.confirm()
    equal(State.data.sent, null)
  })

  test('a loss is mentioned after two seconds', async () => {
    sitDown()
    drop(1006)
    equal(document.querySelector('.banner'), null)
    await pass(Config.LOST_NOTICE_MS + 100)
    ok(find('.banner').textContent?.includes('Connection lost'))
    welcome()
    equal(document.querySelector('.banner'), null)
  })

  test('a command that is not answered has the line checked', async () => {
    sitDown()
    const before = FakeSocket.last
    await press('pass')
    await pass(2 * Config.ANSWER_MS + Config.RETRY_MS + 200)
    equal(before.command, { type: 'ping', payload: {} })
    ok(FakeSocket.last !== before, 'a new socket')
  })

  test('without a line nobody leaves, for the server would not learn of it', () => {
    sitDown()
    drop(1006)
    EventBus.emit('modals:leave')
    find('dialog [data-arg="yes"]').click()
    equal([State.data.view, User.sessionId, prompt()], ['table', SESSION, 'Back in a moment.'])
  })

  test('who is not let in is told why', async () => {
    State.data.view = 'login'
    EventBus.emit('loginView:login', { fields: { name: 'Lena', table: 'Kranich' } })
    FakeSocket.last.say('error', { code: 107, message: 'maintenance', context: {} })
    drop(4013)
    await pass(Config.LOST_NOTICE_MS + 100)
    equal(text('.loading [role="status"]'), 'The server is being serviced. Please come back later. Trying again …')
  })

  test('another window has taken the seat: stop, and leave it to that', async () => {
    sitDown()
    FakeSocket.last.say('error', { code: 205, message: 'taken', context: { table_name: 'Kranich', player_index: 0 } })
    drop(1000)
    const sockets = FakeSocket.all.length
    await pass(Config.RETRY_MS + 100)
    equal(FakeSocket.all.length, sockets)
    EventBus.emit('modals:leave')
    find('dialog [data-arg="yes"]').click()
    equal([State.data.view, User.sessionId], ['login', SESSION], 'the other window keeps the seat')
  })

  test('who has lost the seat to another window may go on here', () => {
    sitDown()
    FakeSocket.last.say('error', { code: 205, message: 'taken', context: { table_name: 'Kranich', player_index: 0 } })
    drop(1000)
    const sockets = FakeSocket.all.length
    find('[data-do="page:goOnHere"]').click()
    equal(FakeSocket.all.length, sockets + 1)
    equal(FakeSocket.last.url.searchParams.get('session_id'), SESSION)
  })

  test('a refused session leads back to the start, with the reason', () => {
    sitDown()
    FakeSocket.last.say('error', { code: 200, message: 'expired', context: {} })
    drop(1008)
    ok(find('.login').textContent?.includes('Your seat is gone. Please sit down again.'))
    equal(User.sessionId, '')
  })

  test('the last card stays visible before the trick is taken and the result opens', async () => {
    sitDown()
    const socket = FakeSocket.last
    const street = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14].map(rank => [rank, 2])
    State.data.tricks = [[[1, Array(14).fill('S2'), [6, 14, 14]], [0, Array(14).fill('S3'), [6, 14, 14]]], [[3, Array(1).fill('S4'), [1, 1, 4]]]]
    State.data.trickOwnerIndex = 3
    socket.notify('player_played', { turn: [3, street, [6, 13, 14]], trick_points: 25, winner_index: 1 }, 11)
    socket.notify('trick_taken', { player_index: 3, points: 25, dragon_recipient: -1 }, 12)
    socket.notify('round_over', { points: [0, 100, 0, 0], loser_index: 2, is_double_victory: false }, 13)
    socket.notify('round_started', {}, 14)
    equal(document.querySelectorAll('.pile:not(.old) .card').length, 13)
    await pass(Config.LAST_PLAY_MS + 100)
    equal(document.querySelectorAll('.pile .card').length, 0)
    equal(find('dialog[data-key="round"]').querySelector('h2')?.textContent, 'Round 1 is over')
    find('dialog [data-do="modals:close"]').click()
  })

  test('what waits is shown before a table closes, and never afterwards', () => {
    sitDown()
    State.data.tricks = [[[1, Array(14).fill('S2'), [6, 14, 14]], [0, Array(14).fill('S3'), [6, 14, 14]]], [[3, Array(13).fill('S4'), [1, 1, 4]]]]
    State.data.trickOwnerIndex = 3
    FakeSocket.last.notify('player_played', { turn: [3, [[5, 1]], [1, 1, 5]], trick_points: 25, winner_index: 1 }, 11)
    FakeSocket.last.notify('trick_taken', { player_index: 3, points: 25, dragon_recipient: -1 }, 12)
    FakeSocket.last.notify('table_closing', { reason: 'empty' }, 13)
    drop(1001)
    equal(text('.login .warning'), 'The table has been closed.')
  })

  test('a refused message is put back, and the reason stands where it can be seen', () => {
    sitDown()
    Object.assign(State.data, { dialog: 'chat' })
    ViewManager.draw()
    EventBus.emit('chat:say', { fields: { text: 'Moin' } })
    FakeSocket.last.say('error', { id: FakeSocket.last.command.id, code: 105, message: 'busy', context: {} })
    equal(/** @type {HTMLInputElement} */ (find('dialog .chat-form input')).value, 'Moin')
    equal(text('dialog .toast'), 'Too fast for the server. Please try again.')
    EventBus.emit('modals:close')
  })

  test('a name that looks like markup is a name', () => {
    sitDown()
    FakeSocket.last.notify('player_joined', { player_index: 3, player_name: '<b>*{n}*' }, 11)
    equal(find('.seat.w .name').textContent, '<b>*{n}*')
  })

  await TestRunner.run()
})()
