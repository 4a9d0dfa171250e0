/** What a screen reader is told: one sentence for each event, in plain words, never twice. */
const Speech = (function () {
  'use strict'

  const _KEPT = 12
  const _state = State.data

  /**
   * Says a sentence, in the region of the topmost dialog: while one is open, nothing outside of it is heard. A moment
   * later, for in a region that appears together with its words nothing is heard either.
   *
   * @param {string} sentence
   */
  function say (sentence) {
    if (!sentence) {
      return
    }
    setTimeout(() => {
      const region = [...document.querySelectorAll('#live, dialog[open] > .live')].at(-1)
      region?.append(Lib.h('p', null, sentence))
      while (region && region.children.length > _KEPT) {
        region.firstElementChild?.remove()
      }
    }, Config.SPEECH_MS)
  }

  /**
   * @param {number} seat
   * @returns {boolean}
   */
  function _isMe (seat) {
    return seat === _state.playerIndex
  }

  /**
   * @param {number} rank
   * @returns {string}
   */
  function _four (rank) {
    return [
      '', '', I18n.t('four twos'), I18n.t('four threes'), I18n.t('four fours'), I18n.t('four fives'), I18n.t('four sixes'),
      I18n.t('four sevens'), I18n.t('four eights'), I18n.t('four nines'), I18n.t('four tens'), I18n.t('four jacks'),
      I18n.t('four queens'), I18n.t('four kings'), I18n.t('four aces')
    ][rank]
  }

  /**
   * @param {Combination} bomb
   * @returns {string} what is thrown
   */
  function bombName ([, length, rank]) {
    return length === 4 ? _four(rank) : I18n.t('a street bomb to {rank}', { rank: Cards.rankName(rank) })
  }

  /**
   * @param {Combination} combination
   * @param {Card[]} cards
   * @returns {string} with its article, in the accusative
   */
  function _accusative (combination, cards) {
    const [type, length, rank] = combination
    const name = Cards.rankName
    const types = Cards.CombinationType
    switch (type) {
      case types.PAIR: return I18n.t('a pair of {rank}s', { rank: name(rank) })
      case types.TRIPLE: return I18n.t('three {rank}s', { rank: name(rank) })
      case types.STAIR: return I18n.t('stairs from {low} to {high}', { low: name(rank - length / 2 + 1), high: name(rank) })
      case types.FULLHOUSE: return I18n.t('a full house of {rank}s', { rank: name(rank) })
      case types.STREET: return I18n.t('a street to {rank}, {n} cards', { rank: name(rank), n: length })
    }
    switch (cards[0]) {
      case 'Hu': return I18n.t('the dog')
      case 'Ma': return I18n.t('the Mah Jong')
      case 'Ph': return I18n.t('the phoenix')
      case 'Dr': return I18n.t('the dragon')
      default: return Cards.cardName(cards[0])
    }
  }

  /**
   * @param {number} seat
   * @returns {string} what it has left, or its place
   */
  function _left (seat) {
    const count = _state.countHandCards[seat]
    if (count) {
      return I18n.n('One card left.', '{n} cards left.', count)
    }
    const place = State.finished().indexOf(seat) + 1
    return _isMe(seat) ? I18n.t('You are out as number {place}.', { place }) : I18n.t('{name} is out as number {place}.', { name: State.name(seat), place })
  }

  /**
   * @param {any} context - of `player_played`
   * @returns {string}
   */
  function _played ({ turn }) {
    const [seat, wireCards, combination] = turn
    const name = State.name(seat)
    if (combination[0] === Cards.CombinationType.BOMB) {
      const what = bombName(combination)
      return `${_isMe(seat) ? I18n.t('Bomb! You throw {what}.', { what }) : I18n.t('Bomb! {name} throws {what}.', { name, what })} ${_left(seat)}`
    }
    const what = _accusative(combination, Cards.labels(wireCards))
    return `${_isMe(seat) ? I18n.t('You play {what}.', { what }) : I18n.t('{name} plays {what}.', { name, what })} ${_left(seat)}`
  }

  /**
   * @param {any} context - of `trick_taken`; the state is still that before it
   * @returns {string}
   */
  function _taken ({ playerIndex }) {
    const name = State.name(playerIndex)
    const n = _state.trickPoints
    return _isMe(playerIndex)
      ? I18n.n('You take the trick, one point.', 'You take the trick, {n} points.', n, { n: _points(n) })
      : I18n.n('{name} takes the trick, one point.', '{name} takes the trick, {n} points.', n, { name, n: _points(n) })
  }

  /**
   * @param {any} context - of `start_playing`
   * @returns {string}
   */
  function _received ({ receivedSchupfCards, startPlayerIndex }) {
    const gifts = Cards.labels(receivedSchupfCards).map((card, index) =>
      I18n.t('{card} from {name}', { card: Cards.cardName(card), name: State.name(State.seat(index + 1)) }))
    const got = I18n.t('You got: {gifts}.', { gifts: gifts.join(', ') })
    // The request tells the starter himself.
    return _isMe(startPlayerIndex) ? got : `${got} ${I18n.t('{name} leads.', { name: State.name(startPlayerIndex) })}`
  }

  /**
   * @param {string} rank
   * @returns {string}
   */
  function _wished (rank) {
    const [seat] = _state.tricks.flat().find(([, cards]) => cards.includes('Ma')) || [_state.currentTurnIndex]
    return _isMe(seat) ? I18n.t('You wish for {rank}.', { rank }) : I18n.t('{name} wishes for {rank}.', { name: State.name(seat), rank })
  }

  /**
   * @param {number} points
   * @returns {string}
   */
  function _points (points) {
    return points < 0 ? I18n.t('minus {n}', { n: -points }) : String(points)
  }

  /**
   * @returns {string}
   */
  function roundResult () {
    const round = State.ours(_state.gameScore[0].at(-1) || 0, _state.gameScore[1].at(-1) || 0)
    const [us, them, ourTotal, theirTotal] = [...round, ...State.score()].map(_points)
    return I18n.t('Round {n}: us {us}, them {them}. Score {ourTotal} to {theirTotal}.', {
      n: _state.gameScore[0].length, us, them, ourTotal, theirTotal
    })
  }

  /**
   * The sentence for a notification. That of `trick_taken` is asked for before the state changes, all others after.
   *
   * @param {string} event
   * @param {any} context
   * @returns {string} '' where nothing is said
   */
  function sentence (event, context) {
    const seat = context.playerIndex
    const name = seat === undefined ? '' : State.name(seat)
    switch (event) {
      case 'player_joined': return I18n.t('{name} sits down.', { name })
      case 'player_left': return I18n.t('{name} sits in.', { name })
      case 'player_disconnected': return I18n.t('{name} has lost the connection.', { name })
      case 'player_reconnected': return I18n.t('{name} is back.', { name })
      case 'players_swapped': return I18n.t('Seats have been swapped.')
      case 'options_changed': return I18n.t('The options have changed.')
      case 'hand_cards_dealt':
        return context.handCards?.length === 8
          ? I18n.t('Round {n}. You have eight cards. Call a grand Tichu?', { n: _state.gameScore[0].length + 1 })
          : context.handCards ? I18n.t('You have fourteen cards. Choose three for the others.') : ''
      case 'player_announced':
        if (context.grand) {
          return _isMe(seat) ? I18n.t('You call a grand Tichu.') : I18n.t('{name} calls a grand Tichu.', { name })
        }
        return _isMe(seat) ? I18n.t('You call Tichu.') : I18n.t('{name} calls Tichu.', { name })
      case 'player_schupfed': return context.givenSchupfCards ? I18n.t('Your three cards are on their way.') : ''
      case 'start_playing': return _received(context)
      case 'player_played': return _played(context)
      case 'player_passed': return _isMe(seat) ? I18n.t('You pass.') : I18n.t('{name} passes.', { name })
      case 'trick_taken': return _taken(context)
      case 'wish_made': return _wished(Cards.wishName(context.wishValue))
      case 'wish_fulfilled': return I18n.t('The wish is fulfilled.')
      case 'round_over': return roundResult()
      case 'chat': return I18n.t('{name} writes: {text}', { name: context.name, text: context.text })
      default: return ''
    }
  }

  /**
   * The sentence for a request.
   *
   * @param {OpenRequest} request
   * @returns {string}
   */
  function question ({ action, context }) {
    switch (action) {
      case 'play':
        return Controls.leads(context.trickCombination)
          ? I18n.t('You lead.')
          : I18n.t('Your turn. Higher than {top}.', { top: Controls.topName(Cards.rankName) })
      case 'wish': return I18n.t('Which rank do you wish for?')
      case 'give_dragon_away': return I18n.t('Who gets the dragon’s trick?')
      default: return ''
    }
  }

  return { say, bombName, roundResult, sentence, question }
})()
