/**
 * Container of the match's state and of what the person is doing with it. Only the controllers change it; views and
 * `Controls` read it. Cards are labels, seats are the canonical 0-3, names are those of the protocol in camel case.
 */

/** @typedef {[seat: number, cards: Card[], combination: Combination]} Turn */

/**
 * @typedef {object} LegalPlay
 * @property {number[]} values - descending, the phoenix as 16
 * @property {Combination} combination
 * @property {WireCard[]} [cards] - of a bomb
 */

/**
 * @typedef {object} OpenRequest - the decision that this seat is asked for
 * @property {string} action
 * @property {any} context
 * @property {string} requestId
 * @property {number | null} remainingMs
 */

/** @typedef {{ cards: Card[], combination: Combination, playable: boolean }} Bomb */
/** @typedef {{ name: string, players: string[], freeSeats: number }} OpenTable */
/** @typedef {{ name: string, text: string }} ChatLine - name '' is the page itself */

/**
 * @typedef {object} Sent - what was sent and does not show yet
 * @property {string} id - of the command
 * @property {string} action - what the buttons call it
 * @property {Card[]} cards
 * @property {Combination} [combination] - what the cards are
 */

/**
 * @typedef {object} Question - what the person is asked before something happens
 * @property {'grand' | 'tichu' | 'leave' | 'kick' | 'reading'} kind
 * @property {number} [seat]
 * @property {LegalPlay[]} [readings]
 */
/** @typedef {{ rules: string, targetScore: number, turnLimitS: number, strengths: string[] }} Options */

const State = (function () {
  'use strict'

  /** What stands in a lobby and at a table alike. */
  function _table () {
    return {
      tableName: '',
      playerNames: ['', '', '', ''],
      playerIndex: 0,
      hostIndex: -1,
      connected: [true, true, true, true],
      /** @type {Options} */
      options: { rules: 'house', targetScore: 1000, turnLimitS: 0, strengths: ['RuleAgent', 'RuleAgent', 'RuleAgent', 'RuleAgent'] },
      /** Names of the agents that this table knows. @type {string[]} */
      agents: [],
      isRunning: false,
      /** Number of the last notification that was applied. */
      number: 0,
      /** @type {ChatLine[]} */
      chat: [],
      unreadChats: 0
    }
  }

  /** What lasts for a match. */
  function _match () {
    return {
      /** @type {[number[], number[]]} */
      gameScore: [[], []],
      trickCounter: 0,
      /** What is known of the rounds that were seen: points that a call brought to each seat. @type {Record<number, { calls: number[], isDouble: boolean }>} */
      roundNotes: {},
      isMatchOver: false
    }
  }

  /** What lasts for a round. */
  function _round () {
    return {
      currentTurnIndex: -1,
      startPlayerIndex: -1,
      countHandCards: [0, 0, 0, 0],
      announcements: [0, 0, 0, 0],
      wishValue: -1,
      dragonRecipient: -1,
      trickOwnerIndex: -1,
      /** @type {Combination} */
      trickCombination: [0, 0, 0],
      trickPoints: 0,
      /** @type {Turn[][]} */
      tricks: [],
      points: [0, 0, 0, 0],
      winnerIndex: -1,
      loserIndex: -1,
      isRoundOver: false,
      isDoubleVictory: false,
      /** @type {Card[]} */
      handCards: [],
      /** @type {Card[] | null} */
      givenSchupfCards: null,
      /** @type {Card[] | null} */
      receivedSchupfCards: null,
      /** @type {OpenRequest | null} */
      request: null,
      chances: { canAnnounce: false, bombs: /** @type {Bomb[]} */ ([]) },
      /** The other hands, for a seat that is out. @type {Card[][] | null} */
      shownHands: null,
      /** Clock of the seat that is waited for. @type {{ seat: number, endsAt: number } | null} */
      deadline: null,
      ..._hand()
    }
  }

  /** What the person is doing with the hand. */
  function _hand () {
    return {
      /** @type {Card[]} */
      selection: [],
      /** Cards laid out for right, partner, left. @type {Array<Card | null>} */
      zones: [null, null, null],
      /** The received cards have been taken up. */
      takenUp: true,
      /** The suggestion is on its way; the button waits for it. */
      isChoosing: false,
      /** The card that has the hand's tab stop. @type {Card | ''} */
      focus: '',
      wishPick: 0,
      /** @type {Sent | null} */
      sent: null
    }
  }

  /** What only this page knows. */
  function _page () {
    return {
      view: 'loading',
      /** `none`, `connecting`, `open`, `lost`, `taken` (another tab has the seat). */
      connection: 'none',
      /** The lost connection is mentioned. */
      isLossNoticed: false,
      /** Why the server does not let the person in for now, where it has said so. */
      lossReason: '',
      /** @type {'' | 'settings' | 'score' | 'last' | 'chat' | 'rules' | 'round' | 'result'} */
      dialog: '',
      /** @type {Question | null} */
      question: null,
      toast: '',
      /** Why the last wish was not granted; stands in the status line until something happens. */
      refusal: '',
      /** Why the person is back at the start. */
      loginNote: '',
      /** The first of two seats that the host exchanges. */
      swapPick: -1,
      isHolding: false,
      /** @type {OpenTable[]} */
      openTables: []
    }
  }

  const _initial = { ..._page(), ..._table(), ..._match(), ..._round() }
  const data = { ..._initial }

  /** No table any more. */
  function reset () {
    Object.assign(data, _table(), _match(), _round(), { dialog: '', question: null, refusal: '', swapPick: -1, isHolding: false })
  }

  /**
   * Takes over the whole state as the server tells it to a client that has just connected. What the person has
   * selected or laid out stays as far as the cards are still there.
   *
   * @param {any} context - of the own `player_joined`
   */
  function load (context) {
    const { tricks, trickCards: _, playedCards: __, ...table } = context.publicState
    const { handCards, givenSchupfCards, receivedSchupfCards, playerIndex } = context.privateState
    const { selection, zones, focus, wishPick, chat, unreadChats, roundNotes, gameScore, isMatchOver } = data
    Object.assign(data, _match(), _round(), table, isMatchOver && !table.isRunning && { gameScore, isMatchOver }, {
      playerIndex,
      handCards: Cards.labels(handCards),
      givenSchupfCards: givenSchupfCards && Cards.labels(givenSchupfCards),
      receivedSchupfCards: receivedSchupfCards && Cards.labels(receivedSchupfCards),
      tricks: tricks.map(/** @param {any[]} trick */ trick => trick.map(_turn)),
      number: context.number,
      options: context.options,
      agents: context.agents,
      connected: context.connected,
      chances: _chances(context.chances),
      request: context.pendingRequest,
      chat,
      unreadChats,
      roundNotes,
      focus,
      wishPick
    })
    data.selection = selection.filter(_inHand)
    if (data.request?.action === 'schupf') {
      data.zones = zones.map(card => card && _inHand(card) ? card : null)
    }
    _setDeadline(data.playerIndex, data.request?.remainingMs ?? null)
  }

  /**
   * @param {Card} card
   * @returns {boolean}
   */
  function _inHand (card) {
    return data.handCards.includes(card)
  }

  /**
   * @param {any} turn - as on the wire
   * @returns {Turn}
   */
  function _turn ([seat, cards, combination]) {
    return [seat, Cards.labels(cards), combination]
  }

  /**
   * @param {any} chances - as on the wire
   */
  function _chances (chances) {
    return {
      canAnnounce: Boolean(chances?.canAnnounce),
      bombs: (chances?.bombs || []).map(/** @param {any} bomb */ bomb => ({ ...bomb, cards: Cards.labels(bomb.cards) }))
    }
  }

  /**
   * @param {number} seat
   * @param {number | null} remainingMs
   */
  function _setDeadline (seat, remainingMs) {
    data.deadline = remainingMs === null ? null : { seat, endsAt: performance.now() + remainingMs }
  }

  /**
   * @param {any[]} list
   * @param {number} a
   * @param {number} b
   */
  function _swap (list, a, b) {
    [list[a], list[b]] = [list[b], list[a]]
  }

  /**
   * @returns {boolean[]} per seat
   */
  function _agents () {
    return [0, 1, 2, 3].map(isAgent)
  }

  /**
   * Agents are called after their kind and their seat.
   *
   * @param {boolean[]} agents - per seat
   */
  function _nameAgents (agents) {
    data.playerNames = data.playerNames.map((name, seat) => agents[seat] ? `${data.options.strengths[seat]}_${seat + 1}` : name)
  }

  /**
   * @param {Turn} turn
   */
  function _addTurn (turn) {
    if (data.trickOwnerIndex < 0) {
      data.tricks.push([])
    }
    data.tricks[data.tricks.length - 1].push(turn)
  }

  /** @type {Record<string, (context: any) => void>} */
  const _events = {
    player_joined ({ playerIndex, playerName }) {
      data.playerNames[playerIndex] = playerName
      data.connected[playerIndex] = true
    },
    player_left ({ playerIndex, playerName, hostIndex }) {
      data.playerNames[playerIndex] = playerName
      data.connected[playerIndex] = true
      data.hostIndex = hostIndex
    },
    player_disconnected ({ playerIndex }) {
      data.connected[playerIndex] = false
    },
    player_reconnected ({ playerIndex }) {
      data.connected[playerIndex] = true
    },
    players_swapped ({ playerIndex1: a, playerIndex2: b }) {
      const agents = _agents()
      _swap(agents, a, b)
      _swap(data.playerNames, a, b)
      _swap(data.connected, a, b)
      _swap(data.options.strengths, a, b)
      _nameAgents(agents)
      if (data.playerIndex === a || data.playerIndex === b) {
        data.playerIndex = a + b - data.playerIndex
      }
      data.swapPick = -1
    },
    options_changed ({ options }) {
      const agents = _agents()
      data.options = options
      _nameAgents(agents)
    },
    game_started () {
      Object.assign(data, _match(), _round(), { isRunning: true })
    },
    round_started () {
      Object.assign(data, _round())
    },
    hand_cards_dealt ({ playerIndex, count, handCards }) {
      if (handCards) {
        data.handCards = Cards.labels(handCards)
        data.countHandCards[data.playerIndex] = handCards.length
      }
      else {
        data.countHandCards[playerIndex] = count
      }
    },
    player_announced ({ playerIndex, grand }) {
      data.announcements[playerIndex] = grand ? 2 : 1
    },
    player_schupfed ({ playerIndex, givenSchupfCards }) {
      if (givenSchupfCards) {
        const given = Cards.labels(givenSchupfCards)
        data.givenSchupfCards = given
        data.handCards = data.handCards.filter(card => !given.includes(card))
        data.selection = []
        data.zones = [null, null, null]
        data.sent = null
      }
      data.countHandCards[playerIndex ?? data.playerIndex] = 11
    },
    start_playing ({ startPlayerIndex, receivedSchupfCards }) {
      const received = Cards.labels(receivedSchupfCards)
      Object.assign(data, {
        startPlayerIndex,
        currentTurnIndex: startPlayerIndex,
        receivedSchupfCards: received,
        handCards: Cards.sorted([...data.handCards, ...received]),
        countHandCards: [14, 14, 14, 14],
        takenUp: false
      })
    },
    player_turn_changed ({ currentTurnIndex }) {
      data.currentTurnIndex = currentTurnIndex
      data.deadline = null
      data.takenUp ||= currentTurnIndex === data.playerIndex
    },
    player_played ({ turn, trickPoints, winnerIndex }) {
      const [seat, cards, combination] = _turn(turn)
      _addTurn([seat, cards, combination])
      Object.assign(data, { trickOwnerIndex: seat, trickCombination: combination, trickPoints, winnerIndex })
      data.countHandCards[seat] -= cards.length
      if (cards.includes('Ma')) {
        data.wishValue = 0
      }
      if (seat === data.playerIndex) {
        data.handCards = data.handCards.filter(card => !cards.includes(card))
        data.sent = null
      }
      data.selection = data.selection.filter(_inHand)
    },
    player_passed ({ playerIndex }) {
      _addTurn([playerIndex, [], [0, 0, 0]])
      if (playerIndex === data.playerIndex) {
        data.sent = null
      }
    },
    wish_made ({ wishValue }) {
      data.wishValue = wishValue
      data.wishPick = 0
    },
    wish_fulfilled () {
      data.wishValue = 0
    },
    trick_taken ({ playerIndex, points, dragonRecipient }) {
      data.points[playerIndex] = points
      Object.assign(data, { dragonRecipient, trickOwnerIndex: -1, trickCombination: [0, 0, 0], trickPoints: 0 })
      data.trickCounter += 1
    },
    round_over ({ points, loserIndex, isDoubleVictory }) {
      data.roundNotes[data.gameScore[0].length] = {
        calls: data.announcements.map((call, seat) => call * (seat === data.winnerIndex ? 100 : -100)),
        isDouble: isDoubleVictory
      }
      data.gameScore[0].push(points[0] + points[2])
      data.gameScore[1].push(points[1] + points[3])
      Object.assign(data, { points, loserIndex, isDoubleVictory, isRoundOver: true, deadline: null })
    },
    game_over ({ gameScore }) {
      Object.assign(data, { gameScore, isRunning: false, isMatchOver: true })
    },
    chances (context) {
      data.chances = _chances(context)
    },
    hands_shown ({ handCards }) {
      data.shownHands = handCards.map(Cards.labels)
    },
    deadline ({ playerIndex, remainingMs }) {
      _setDeadline(playerIndex, remainingMs)
    },
    chat ({ name, text }) {
      data.chat = [...data.chat, { name, text }].slice(-200)
    }
  }

  /**
   * Applies a notification.
   *
   * @param {string} event
   * @param {any} context
   */
  function apply (event, context) {
    _events[event]?.(context)
  }

  /**
   * Takes over a request.
   *
   * @param {OpenRequest} request
   */
  function ask (request) {
    data.request = request
    _setDeadline(data.playerIndex, request.remainingMs)
    if (request.action === 'schupf') {
      // Asked anew where a call during the exchange sends everybody's cards back.
      data.handCards = Cards.labels(request.context.handCards)
      data.givenSchupfCards = null
    }
  }

  /* ---- what follows from the data ---- */

  /**
   * @param {number} seat
   * @returns {number} seen from the own seat: 0 self, 1 right, 2 partner, 3 left
   */
  function relative (seat) {
    return (seat - data.playerIndex + 4) % 4
  }

  /**
   * @param {number} relative
   * @returns {number} the seat
   */
  function seat (relative) {
    return (data.playerIndex + relative) % 4
  }

  /**
   * @param {number} seat
   * @returns {boolean}
   */
  function isAgent (seat) {
    return data.playerNames[seat] === `${data.options.strengths[seat]}_${seat + 1}`
  }

  /**
   * @param {number} seat
   * @returns {string} what people call the player
   */
  function name (seat) {
    return isAgent(seat) ? I18n.t('Agent {n}', { n: seat + 1 }) : data.playerNames[seat]
  }

  /**
   * @returns {Card[]} the hand as the person sees it: neither what lies in the zones nor what has not been taken up
   */
  function visibleHand () {
    return data.handCards.filter(card => !data.zones.includes(card) && (data.takenUp || !data.receivedSchupfCards?.includes(card)))
  }

  /**
   * @returns {Turn[]} the plays and passes of the open trick
   */
  function openTrick () {
    return data.trickOwnerIndex < 0 ? [] : data.tricks[data.tricks.length - 1] || []
  }

  /**
   * @returns {Turn[]} the trick that was taken last
   */
  function lastTrick () {
    return data.tricks[data.tricks.length - (data.trickOwnerIndex < 0 ? 1 : 2)] || []
  }

  /**
   * @param {Turn[]} trick
   * @returns {Turn[]} without the passes
   */
  function plays (trick) {
    return trick.filter(([, cards]) => cards.length)
  }

  /**
   * @param {number} seat
   * @returns {boolean} whether it passed and nothing has been played since
   */
  function hasPassed (seat) {
    const trick = openTrick()
    const last = trick.findLastIndex(([, cards]) => cards.length)
    return trick.slice(last + 1).some(([who]) => who === seat)
  }

  /**
   * @returns {number[]} the seats that are out, in that order
   */
  function finished () {
    const left = [14, 14, 14, 14]
    const out = []
    for (const [who, cards] of data.tricks.flat()) {
      left[who] -= cards.length
      if (cards.length && !left[who]) {
        out.push(who)
      }
    }
    return out
  }

  /**
   * @returns {boolean} whether the play on the table ends the round
   */
  function isLastPlay () {
    const out = finished()
    return out.length >= 3 || (out.length === 2 && (out[0] + out[1]) % 2 === 0)
  }

  /**
   * @returns {[number, number]} the match's score: us, them
   */
  function score () {
    const sums = data.gameScore.map(rounds => rounds.reduce((sum, points) => sum + points, 0))
    return ours(sums[0], sums[1])
  }

  /**
   * @template T
   * @param {T} team20
   * @param {T} team31
   * @returns {[T, T]} us, them
   */
  function ours (team20, team31) {
    return data.playerIndex % 2 ? [team31, team20] : [team20, team31]
  }

  return {
    data,
    reset,
    load,
    apply,
    ask,
    relative,
    seat,
    isAgent,
    name,
    visibleHand,
    openTrick,
    lastTrick,
    plays,
    hasPassed,
    finished,
    isLastPlay,
    score,
    ours
  }
})()
