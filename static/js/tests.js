/** Tests of what is computed: library, cards, words, state, controls. */
(function () {
  'use strict'

  const { test, equal, ok } = TestRunner
  const data = State.data

  /** A match that runs, seen from seat 0; changes stand on top. */
  /**
   * @param {Partial<typeof State.data>} [changes]
   */
  function match (changes = {}) {
    State.reset()
    Object.assign(data, {
      view: 'table',
      connection: 'open',
      isRunning: true,
      startPlayerIndex: 0,
      currentTurnIndex: 0,
      playerNames: ['Lena', 'Jonas', 'Mira', 'RuleAgent_4'],
      countHandCards: [14, 14, 14, 14],
      handCards: ['Dr', 'RA', 'SK', 'GK', 'G7', 'R7', 'Ma'],
      takenUp: true,
      refusal: '',
      ...structuredClone(changes)
    })
  }

  /**
   * @param {Partial<{ legal: LegalPlay[], mayPass: boolean, proposal: WireCard[], trickCombination: Combination }>} context
   * @returns {OpenRequest}
   */
  function playRequest (context) {
    return {
      action: 'play',
      requestId: '1-0',
      remainingMs: null,
      context: { legal: [], mayPass: false, proposal: [], trickCombination: [0, 0, 0], ...context }
    }
  }

  /**
   * @returns {string[]} action of each button, in brackets where it is off
   */
  function buttons () {
    return Controls.buttons().map(({ action, off }) => off ? `(${action})` : action)
  }

  /**
   * @returns {string}
   */
  function prompt () {
    return Controls.prompt().segments.map(({ text }) => text).join('')
  }

  /** @type {LegalPlay} */
  const KINGS = { values: [13, 13], combination: [2, 2, 13] }
  /** @type {Turn} */
  const TENS = [1, ['BZ', 'SZ'], [2, 2, 10]]
  const ON_TENS = { tricks: [[TENS]], trickOwnerIndex: 1, trickCombination: /** @type {Combination} */ ([2, 2, 10]) }

  /* ---- library ---- */

  test('names of the wire become names of the page and back', () => {
    const wire = { player_index_1: 2, turn_limit_s: 30, tricks: [{ is_open: true }] }
    equal(Lib.camelCase(wire), { playerIndex1: 2, turnLimitS: 30, tricks: [{ isOpen: true }] })
    equal(Lib.snakeCase(Lib.camelCase(wire)), wire)
  })

  test('morphing keeps the element of a key and takes over what changed', () => {
    const { h } = Lib
    const old = h('ul', null, h('li.a', { 'data-key': 'x' }, 'one'), h('li', { 'data-key': 'y' }, 'two'))
    const y = old.lastElementChild
    Lib.morphChildren(old, h('ul', null, h('li', { 'data-key': 'z' }, 'new'), h('li.b', { 'data-key': 'y', vars: { '--i': 3 } }, 'three')))
    equal(old.lastElementChild === y, true, 'the element')
    equal(old.innerHTML, '<li data-key="z">new</li><li data-key="y" class="b" style="--i: 3;">three</li>')
  })

  test('morphing leaves what was typed alone', () => {
    const { h } = Lib
    const old = h('form', null, h('input', { value: '' }))
    const input = /** @type {HTMLInputElement} */ (old.firstElementChild)
    input.value = 'half a word'
    Lib.morphChildren(old, h('form', null, h('input', { value: '' })))
    equal(input.value, 'half a word')
  })

  test('text never becomes markup', () => {
    equal(Lib.h('b', null, '<img src=x>').innerHTML, '&lt;img src=x&gt;')
  })

  /* ---- cards ---- */

  test('a label and its wire form are one thing', () => {
    for (const label of ['Hu', 'Ma', 'S2', 'BZ', 'BB', 'GD', 'RK', 'SA', 'Dr', 'Ph']) {
      equal(Cards.label(Cards.wire(label)), label)
    }
  })

  test('hands are sorted as the wire sends them: by value, then suit', () => {
    equal(Cards.sorted(['S7', 'Dr', 'R7', 'Hu', 'Ph', 'SA', 'Ma']), ['Ph', 'Dr', 'SA', 'R7', 'S7', 'Ma', 'Hu'])
  })

  test('what is selected has a name', () => {
    /** @type {Array<[string, Combination | null]>} */
    const cases = [
      ['S7', [1, 1, 7]], ['Ph', [1, 1, 16]], ['S7 R7', [2, 2, 7]], ['S7 Ph', [2, 2, 7]], ['S7 R7 Ph', [3, 3, 7]],
      ['S7 R7 S8 Ph', [4, 4, 8]], ['S7 R7 G7 S8 R8', [5, 5, 7]], ['S7 R7 S8 R8 Ph', [5, 5, 8]],
      ['Ma S2 R3 G4 B5', [6, 5, 5]], ['S2 R3 G4 B5 Ph', [6, 5, 6]], ['SZ RB GD BK Ph', [6, 5, 14]],
      ['S7 R7 G7 B7', [7, 4, 7]], ['S2 S3 S4 S5 S6', [7, 5, 6]], ['S2 S3 S4 S5 Ph', [6, 5, 6]],
      ['S7 R7 G7 Ph', null], ['S7 R8', null], ['Hu S2', null], ['Dr SA', null], ['Ma Ph', null], ['S7 R7 G7 B7 Ph', null], ['S2 R3 G4 B5', null]
    ]
    for (const [labels, expected] of cases) {
      equal(Cards.recognise(labels.split(' ')), expected, labels)
    }
  })

  test('court cards follow the setting, not the language', () => {
    const index = User.settings.index
    User.update({ settings: { ...User.settings, index: 'de' } })
    equal([11, 12, 13, 14].map(Cards.rankLetter), ['B', 'D', 'K', 'A'])
    User.update({ settings: { ...User.settings, index: 'en' } })
    equal([11, 12, 13, 14].map(Cards.rankLetter), ['J', 'Q', 'K', 'A'])
    User.update({ settings: { ...User.settings, index } })
  })

  /* ---- words ---- */

  test('a name with stars and braces stays a name', () => {
    equal(I18n.rich('Who gets *{card}*?', { card: '*{x}*' }), [
      { text: 'Who gets ', strong: false }, { text: '*{x}*', strong: true }, { text: '?', strong: false }
    ])
  })

  test('one is not many', () => {
    equal([1, 2, 0].map(n => I18n.n('one card', '{n} cards', n)), ['one card', '2 cards', '0 cards'])
  })

  test('a text that no catalog has is shown as it stands', () => {
    equal(I18n.t('constructor {n}', { n: 1 }), 'constructor 1')
  })

  /* ---- buttons and status line of each phase (page.md 3) ---- */

  test('grand Tichu: continue, call by a long press, play is off', () => {
    match({ startPlayerIndex: -1, countHandCards: [8, 8, 8, 8], request: { ...playRequest({}), action: 'announce_grand_tichu' } })
    equal(Controls.phase(), 'grand')
    equal(buttons(), ['decline', 'grand', '(play)'])
    equal(Controls.buttons()[1].hold, true)
    equal(prompt(), 'Call it, or take the other six cards.')
  })

  test('while others decide on a grand Tichu everything waits', () => {
    match({ startPlayerIndex: -1, countHandCards: [8, 8, 8, 8], request: null })
    equal(Controls.phase(), 'grand-wait')
    equal(buttons(), ['(decline)', '(grand)', '(play)'])
  })

  test('exchange: ready when three cards lie in the zones', () => {
    match({ startPlayerIndex: -1, request: { ...playRequest({}), action: 'schupf' }, zones: ['RA', null, 'G7'] })
    equal(buttons(), ['(pass)', '(tichu)', '(schupf)'])
    data.selection = ['SK']
    equal(prompt(), 'Who gets sword king?')
    Object.assign(data, { selection: [], zones: ['RA', 'SK', 'G7'] })
    equal(buttons(), ['(pass)', '(tichu)', 'schupf'])
    equal(State.visibleHand(), ['Dr', 'GK', 'R7', 'Ma'])
  })

  test('the exchange allows a Tichu where the option does', () => {
    match({ startPlayerIndex: -1, request: { ...playRequest({}), action: 'schupf' }, chances: { canAnnounce: true, bombs: [] } })
    equal(buttons()[1], 'tichu')
  })

  test('given: pick up when all have given; whom everybody waits for is said', () => {
    match({ startPlayerIndex: -1, givenSchupfCards: ['RA', 'SK', 'G7'], countHandCards: [11, 14, 11, 11] })
    equal(buttons(), ['(pass)', '(tichu)', '(take)'])
    equal(prompt(), 'Waiting for Jonas …')
    Object.assign(data, { startPlayerIndex: 1, receivedSchupfCards: ['Ma', 'R7', 'G7'], takenUp: false })
    equal(Controls.phase(), 'receive')
    equal(buttons(), ['(pass)', '(tichu)', 'take'])
    equal(State.visibleHand(), ['Dr', 'RA', 'SK', 'GK'])
  })

  test('received cards lie open until they are taken up or it is the own turn', () => {
    match({ startPlayerIndex: 3, currentTurnIndex: 3, receivedSchupfCards: ['Ma', 'R7', 'G7'], takenUp: false })
    State.apply('player_played', { turn: [3, [[10, 1], [10, 2]], [2, 2, 10]], trickPoints: 20, winnerIndex: -1 })
    equal([Controls.phase(), prompt()], ['receive', 'This is what you got. Agent 4 · Pair 10'])
    State.apply('player_turn_changed', { currentTurnIndex: 0 })
    equal([Controls.phase(), State.visibleHand().length], ['idle', 7])
  })

  test('not my turn: only a Tichu', () => {
    match({ currentTurnIndex: 1, chances: { canAnnounce: true, bombs: [] } })
    equal(buttons(), ['(pass)', 'tichu', '(play)'])
    equal(prompt(), 'Jonas to play.')
  })

  test('not my turn: a playable bomb that is selected may be thrown', () => {
    /** @type {Bomb} */
    const bomb = { cards: ['SK', 'GK', 'BK', 'RK'], combination: [7, 4, 13], playable: true }
    match({ currentTurnIndex: 1, chances: { canAnnounce: false, bombs: [bomb] }, selection: ['RK', 'BK', 'GK', 'SK'] })
    equal(buttons(), ['(pass)', '(tichu)', 'play'])
    data.chances.bombs[0].playable = false
    equal(buttons(), ['(pass)', '(tichu)', '(play)'])
  })

  test('my turn, nothing fits: pass', () => {
    match({ ...ON_TENS, request: playRequest({ mayPass: true, trickCombination: [2, 2, 10] }) })
    equal(buttons(), ['pass', '(tichu)', '(none)'])
    equal(Controls.prompt().isRefusal, true)
    equal(prompt(), 'None of your cards fits. You can only pass.')
  })

  test('my turn, nothing selected: a suggestion', () => {
    match({ ...ON_TENS, request: playRequest({ legal: [KINGS], mayPass: true, proposal: [[13, 1], [13, 3]], trickCombination: [2, 2, 10] }) })
    equal(buttons(), ['pass', '(tichu)', 'choose'])
    equal(prompt(), 'Your turn. Higher than Pair 10.')
    data.isChoosing = true
    equal(buttons(), ['pass', '(tichu)', '(choose)'])
  })

  test('the lead cannot be passed', () => {
    match({ request: playRequest({ legal: [KINGS], proposal: [[13, 1]] }) })
    equal(buttons(), ['(pass)', '(tichu)', 'choose'])
    equal(Controls.buttons()[0].off, 'You cannot pass when you lead.')
    equal(prompt(), 'You lead.')
  })

  test('after the dog the next seat leads', () => {
    match({
      tricks: [[[2, ['Hu'], [1, 1, 0]]]], trickOwnerIndex: 2, trickCombination: [1, 1, 0],
      request: playRequest({ legal: [KINGS], proposal: [[13, 1]], trickCombination: [1, 1, 0] })
    })
    equal(prompt(), 'You lead.')
    data.selection = ['SK', 'GK']
    equal(prompt(), 'Pair K is ready.')
  })

  test('my turn, cards selected: playable or the reason why not', () => {
    match({ ...ON_TENS, request: playRequest({ legal: [KINGS], mayPass: true, proposal: [[13, 1]], trickCombination: [2, 2, 10] }) })
    data.selection = ['GK', 'SK']
    equal(buttons(), ['pass', '(tichu)', 'play'])
    equal(prompt(), 'Pair K beats Pair 10.')
    data.selection = ['G7', 'R7']
    equal(buttons(), ['pass', '(tichu)', '(play)'])
    equal(prompt(), 'Pair 7 does not beat Pair 10.')
    data.selection = ['RA']
    equal(prompt(), 'Only a higher pair or a bomb beats this.')
    data.selection = ['RA', 'G7']
    equal(prompt(), 'These cards are no combination.')
  })

  test('a bomb is playable by its cards, not by its values', () => {
    const sevens = ['S7', 'B7', 'G7', 'R7']
    const legal = [{ values: [7, 7, 7, 7], combination: /** @type {Combination} */ ([7, 4, 7]), cards: sevens.map(Cards.wire) }]
    match({ request: playRequest({ legal }) })
    equal(Controls.readings(sevens).length, 1)
    equal(Controls.readings(['S7', 'B7', 'G7']).length, 0)
  })

  test('the phoenix may leave two readings', () => {
    const values = [16, 8, 8, 7, 7]
    match({ request: playRequest({ legal: [{ values, combination: [5, 5, 8] }, { values, combination: [5, 5, 7] }] }) })
    equal(Controls.readings(['S7', 'Ph', 'R8', 'G7', 'S8']).map(({ combination }) => combination[2]), [8, 7])
  })

  test('an open wish that can be met is a must, and pass says so', () => {
    match({
      ...ON_TENS, wishValue: 13,
      request: playRequest({ legal: [KINGS], mayPass: false, proposal: [[13, 1]], trickCombination: [2, 2, 10] })
    })
    equal(Controls.buttons()[0].off, 'The wish for king must be met.')
    data.selection = ['G7', 'R7']
    equal(prompt(), 'The wish for king must be met.')
  })

  test('an open wish that only a bomb could meet is no must', () => {
    const legal = [{ values: [7, 7, 7, 7], combination: /** @type {Combination} */ ([7, 4, 7]), cards: ['S7', 'B7', 'G7', 'R7'].map(Cards.wire) }]
    match({ ...ON_TENS, wishValue: 13, selection: ['RA'], request: playRequest({ legal, mayPass: true, trickCombination: [2, 2, 10] }) })
    equal(prompt(), 'Only a higher pair or a bomb beats this.')
  })

  test('a request that a bomb has withdrawn does not count', () => {
    match({ ...ON_TENS, request: playRequest({ legal: [KINGS], trickCombination: [2, 2, 10] }) })
    equal(Controls.phase(), 'turn')
    State.apply('player_played', { turn: [2, [[5, 1], [5, 2], [5, 3], [5, 4]], [7, 4, 5]], trickPoints: 40, winnerIndex: -1 })
    equal(Controls.phase(), 'idle')
    State.apply('player_turn_changed', { currentTurnIndex: 3 })
    equal(buttons(), ['(pass)', '(tichu)', '(play)'])
  })

  test('Tichu says why it is off', () => {
    match({ announcements: [1, 0, 0, 0], currentTurnIndex: 1 })
    equal(Controls.buttons()[1].off, 'You have called already.')
    match({ currentTurnIndex: 1 })
    equal(Controls.buttons()[1].off, 'No Tichu after your first card.')
  })

  test('without a connection nothing can be sent, and the selection stays', () => {
    match({ request: playRequest({ legal: [KINGS], proposal: [[13, 1]] }), selection: ['SK', 'GK'], connection: 'lost' })
    equal(buttons(), ['(pass)', '(tichu)', '(play)'])
    equal(prompt(), 'Back in a moment.')
    equal(data.selection, ['SK', 'GK'])
  })

  test('what was sent is not sent again before it shows', () => {
    match({ request: null, selection: ['SK', 'GK'], sent: { id: 'x', action: 'play', cards: ['SK', 'GK'], combination: [2, 2, 13] } })
    equal(buttons(), ['(pass)', '(tichu)', '(play)'])
    equal(prompt(), 'You play Pair K.')
    State.apply('player_played', { turn: [0, [[13, 1], [13, 3]], [2, 2, 13]], trickPoints: 20, winnerIndex: -1 })
    equal([data.sent, data.selection, data.handCards.length], [null, [], 5])
  })

  test('each refusal has plain words', () => {
    match(ON_TENS)
    const error = /** @param {number} code @param {object} [context] */ (code, context = {}) => Controls.refusal({ code, context })
    equal(error(303, { reason: 'does_not_beat' }), 'These cards do not beat Pair 10.')
    equal(error(303, { reason: 'must_lead' }), 'You cannot pass when you lead.')
    equal(error(305, { reason: 'dog' }), 'The dog cannot be bombed.')
    equal(error(310), 'Too late: something else happened first.')
    equal(error(204), 'This name is taken at this table.')
    equal(error(999), 'The server refuses this (error 999).')
  })

  /* ---- speech ---- */

  test('after the dog one leads, whatever lies there', () => {
    match({ tricks: [[[2, ['Hu'], [1, 1, 0]]]], trickOwnerIndex: 2, trickCombination: [1, 1, 0] })
    equal(Speech.question(playRequest({ trickCombination: [1, 1, 0] })), 'You lead.')
    match(ON_TENS)
    equal(Speech.question(playRequest({ mayPass: true, trickCombination: [2, 2, 10] })), 'Your turn. Higher than Pair 10.')
  })

  test('the starter is told by the request alone that he leads', () => {
    match()
    const received = /** @param {number} startPlayerIndex */ startPlayerIndex =>
      Speech.sentence('start_playing', { startPlayerIndex, receivedSchupfCards: [[1, 0], [7, 4], [15, 0]] })
    equal(received(0), 'You got: Mah Jong from Jonas, star 7 from Mira, dragon from Agent 4.')
    equal(received(1).endsWith(' Jonas leads.'), true)
  })

  test('a special card is played with its article', () => {
    match()
    equal(Speech.sentence('player_played', { turn: [1, [[15, 0]], [1, 1, 15]] }), 'Jonas plays the dragon. 14 cards left.')
  })

  /* ---- state ---- */

  test('the order in which seats go out follows from the tricks', () => {
    const fourteen = ['S2', 'S3', 'S4', 'S5', 'S6', 'S7', 'S8', 'S9', 'SZ', 'SB', 'SD', 'SK', 'SA', 'B2']
    match({ tricks: [[[2, fourteen, [6, 14, 14]], [3, [], [0, 0, 0]], [1, fourteen, [6, 14, 14]]]] })
    equal(State.finished(), [2, 1])
    equal(State.isLastPlay(), false)
    data.tricks.push([[3, fourteen, [6, 14, 14]]])
    equal(State.isLastPlay(), true)
    data.tricks = [[[2, fourteen, [6, 14, 14]], [0, fourteen, [6, 14, 14]]]]
    equal(State.isLastPlay(), true, 'a double victory')
  })

  test('who has passed may play again after the next play', () => {
    match({ tricks: [[TENS, [2, [], [0, 0, 0]]]], trickOwnerIndex: 1 })
    equal([State.hasPassed(2), State.hasPassed(1)], [true, false])
    State.apply('player_played', { turn: [3, [[12, 1], [12, 2]], [2, 2, 12]], trickPoints: 20, winnerIndex: -1 })
    equal(State.hasPassed(2), false)
  })

  test('swapped seats: agents are called after their kind and new seat', () => {
    match({ isRunning: false, playerNames: ['Lena', 'Jonas', 'RuleAgent_3', 'RandomAgent_4'] })
    data.options.strengths = ['RuleAgent', 'RuleAgent', 'RuleAgent', 'RandomAgent']
    State.apply('players_swapped', { playerIndex1: 1, playerIndex2: 3 })
    equal(data.playerNames, ['Lena', 'RandomAgent_2', 'RuleAgent_3', 'Jonas'])
    equal([1, 2, 3].map(State.isAgent), [true, true, false])
  })

  test('calls of a round stand beside its points', () => {
    match({ announcements: [1, 0, 0, 2], winnerIndex: 0 })
    State.apply('round_over', { points: [140, 20, 30, -190], loserIndex: 1, isDoubleVictory: false })
    equal(data.gameScore, [[170], [-170]])
    equal(data.roundNotes[0].calls, [100, 0, 0, -200])
    equal(State.score(), [170, -170])
    data.playerIndex = 1
    equal(State.score(), [-170, 170])
  })

  test('a recorded round: the events lead where the whole state says', () => {
    let compared = 0
    for (const { type, payload } of RECORDING.map(Lib.camelCase)) {
      if (type === 'request') {
        State.ask(payload)
      }
      else if (payload.event !== 'player_joined') {
        State.apply(payload.event, payload.context)
      }
      else if (compared++) {
        const open = Controls.request()
        const { takenUp, number, options, roundNotes, request, ...followed } = structuredClone(data)
        State.load(payload.context)
        equal(open?.requestId, data.request?.requestId, `the open request after ${compared} looks`)
        for (const [name, value] of Object.entries(followed)) {
          equal(value, data[/** @type {keyof typeof followed} */ (name)], `${name} after ${compared} looks`)
        }
      }
      else {
        State.reset()
        State.load(payload.context)
      }
    }
    ok(compared > 5, 'the number of comparisons')
  })

  /* ---- sounds ---- */

  test('there are eleven sounds', () => {
    equal([...SoundManager.NAMES].sort(), ['announce', 'bomb', 'play0', 'play1', 'play2', 'play3', 'schupf', 'score', 'select', 'shuffle', 'take'])
  })

  for (const name of SoundManager.NAMES) {
    test(`the sound ${name} is audible, short and does not clip`, async () => {
      const samples = (await SoundManager.render(name)).getChannelData(0)
      const loudest = samples.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0)
      const last = samples.findLastIndex(sample => Math.abs(sample) > 0.01) / 44100
      ok(loudest > 0.02 && loudest < 1, `the peak ${loudest}`)
      ok(last < 0.9, `the length ${last}`)
    })
  }
})()
