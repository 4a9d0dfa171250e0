/**
 * The 56 cards: their labels ("S7", "BB", "Dr"), words and pictures.
 *
 * A label is the suit's letter and the rank (S sword, B pagoda, G jade, R star; 2-9, Z ten, B jack, D queen, K king,
 * A ace) or one of the specials Hu dog, Ma Mah Jong, Dr dragon, Ph phoenix. Pictures come from one sprite, drawn on
 * 100 x 140: the left 38 % are the index (rank, suit, letter), the rest is the picture.
 */

/** @typedef {string} Card - a label */
/** @typedef {[number, number, number]} Combination - type, length, rank */
/** @typedef {[number, number]} WireCard - value and suit */

const Cards = (function () {
  'use strict'

  /** What a combination can be, numbered as on the wire. */
  const CombinationType = Object.freeze({ PASS: 0, SINGLE: 1, PAIR: 2, TRIPLE: 3, STAIR: 4, FULLHOUSE: 5, STREET: 6, BOMB: 7 })
  const Value = Object.freeze({ DOG: 0, MAH_JONG: 1, JACK: 11, QUEEN: 12, KING: 13, ACE: 14, DRAGON: 15, PHOENIX: 16 })

  const _SUITS = ' SBGR'
  const _RANKS = '  23456789ZBDKA'
  /** @type {Record<string, number>} */
  const _SPECIALS = { Hu: Value.DOG, Ma: Value.MAH_JONG, Dr: Value.DRAGON, Ph: Value.PHOENIX }
  const _COURTS = ['J', 'Q', 'K', 'A']
  /** @type {Record<string, string[]>} */
  const _LETTERS = { de: ['B', 'D', 'K', 'A'], en: ['J', 'Q', 'K', 'A'] }

  /**
   * @param {WireCard} card
   * @returns {Card}
   */
  function label ([value, suit]) {
    return suit === 0
      ? Object.keys(_SPECIALS).find(name => _SPECIALS[name] === value) || ''
      : _SUITS[suit] + _RANKS[value]
  }

  /**
   * @param {WireCard[]} cards
   * @returns {Card[]}
   */
  function labels (cards) {
    return cards.map(label)
  }

  /**
   * @param {Card} card
   * @returns {number}
   */
  function value (card) {
    return card in _SPECIALS ? _SPECIALS[card] : _RANKS.indexOf(card[1])
  }

  /**
   * @param {Card} card
   * @returns {number} 0 for the specials
   */
  function suit (card) {
    return card in _SPECIALS ? 0 : _SUITS.indexOf(card[0])
  }

  /**
   * @param {Card} card
   * @returns {WireCard}
   */
  function wire (card) {
    return [value(card), suit(card)]
  }

  /**
   * @param {Card[]} cards
   * @returns {Card[]} the same, highest first
   */
  function sorted (cards) {
    return [...cards].sort((a, b) => value(b) - value(a) || suit(b) - suit(a))
  }

  /* ---- words ---- */

  /**
   * @param {number} rank
   * @returns {string} as it is read out
   */
  function rankName (rank) {
    switch (rank) {
      case Value.MAH_JONG: return I18n.t('Mah Jong')
      case Value.JACK: return I18n.t('jack')
      case Value.QUEEN: return I18n.t('queen')
      case Value.KING: return I18n.t('king')
      case Value.ACE: return I18n.t('ace')
      default: return String(rank)
    }
  }

  /**
   * @param {number} rank
   * @returns {string} as somebody wishes for it
   */
  function wishName (rank) {
    switch (rank) {
      case Value.JACK: return I18n.t('a jack')
      case Value.QUEEN: return I18n.t('a queen')
      case Value.KING: return I18n.t('a king')
      case Value.ACE: return I18n.t('an ace')
      default: return I18n.p('wish', '{rank}', { rank })
    }
  }

  /**
   * @param {number} rank
   * @returns {string} as it stands in the corner of a card
   */
  function rankLetter (rank) {
    return rank > 10 ? _LETTERS[User.settings.index][rank - Value.JACK] : String(rank)
  }

  /**
   * @param {Card} card
   * @returns {string} as it is read out
   */
  function cardName (card) {
    switch (card) {
      case 'Hu': return I18n.t('dog')
      case 'Ma': return I18n.t('Mah Jong')
      case 'Ph': return I18n.t('phoenix')
      case 'Dr': return I18n.t('dragon')
    }
    const suits = ['', I18n.t('sword'), I18n.t('pagoda'), I18n.t('jade'), I18n.t('star')]
    return `${suits[suit(card)]} ${rankName(value(card))}`
  }

  /**
   * @param {Combination} combination
   * @param {Card[]} cards - what it was made of
   * @param {(rank: number) => string} [name] - how a rank is said: `rankLetter` or `rankName`
   * @returns {string} "Pair 10"
   */
  function combinationName ([type, length, rank], cards, name = rankLetter) {
    const lone = cards.length === 1 && suit(cards[0]) === 0
    switch (type) {
      case CombinationType.PASS: return I18n.t('nothing')
      case CombinationType.SINGLE: return lone ? cardName(cards[0]) : name(rank)
      case CombinationType.PAIR: return I18n.t('Pair {rank}', { rank: name(rank) })
      case CombinationType.TRIPLE: return I18n.t('Triple {rank}', { rank: name(rank) })
      case CombinationType.STAIR: return I18n.t('Stairs {low} to {high}', { low: name(rank - length / 2 + 1), high: name(rank) })
      case CombinationType.FULLHOUSE: return I18n.t('Full house {rank}', { rank: name(rank) })
      case CombinationType.STREET: return I18n.t('Street to {rank}', { rank: name(rank) })
      default: return length === 4 ? I18n.t('Bomb {rank}', { rank: name(rank) }) : I18n.t('Street bomb to {rank}', { rank: name(rank) })
    }
  }

  /* ---- naming what is selected: for words only, what may be played the server says ---- */

  /**
   * @param {number[]} values - without a phoenix, ascending
   * @param {boolean} oneSuit
   * @returns {Combination | null}
   */
  function _recogniseNatural (values, oneSuit) {
    const count = values.length
    const top = values[count - 1]
    const ranks = [...new Set(values)]
    const consecutive = ranks.every((rank, index) => rank === ranks[0] + index)
    const many = ranks.map(rank => values.filter(each => each === rank).length)
    if (count > 1 && (values[0] === Value.DOG || top > Value.ACE)) {
      return null
    }
    if (ranks.length === 1) {
      const type = [0, CombinationType.SINGLE, CombinationType.PAIR, CombinationType.TRIPLE, CombinationType.BOMB][count]
      return type ? [type, count, top] : null
    }
    if (count === 5 && ranks.length === 2 && many.includes(3)) {
      return [CombinationType.FULLHOUSE, count, ranks[many.indexOf(3)]]
    }
    if (consecutive && many.every(each => each === 2)) {
      return [CombinationType.STAIR, count, top]
    }
    if (consecutive && ranks.length === count && count >= 5) {
      return [oneSuit && values[0] > Value.MAH_JONG ? CombinationType.BOMB : CombinationType.STREET, count, top]
    }
    return null
  }

  /**
   * What these cards are, the higher reading where there are two.
   *
   * @param {Card[]} cards
   * @returns {Combination | null}
   */
  function recognise (cards) {
    const values = cards.map(value).sort((a, b) => a - b)
    const oneSuit = new Set(cards.map(suit)).size === 1
    if (!values.includes(Value.PHOENIX) || cards.length === 1) {
      return cards.length ? _recogniseNatural(values, oneSuit) : null
    }
    for (let rank = Value.ACE; rank > Value.MAH_JONG; rank--) {
      const stood = values.map(each => each === Value.PHOENIX ? rank : each).sort((a, b) => a - b)
      const combination = _recogniseNatural(stood, false)
      if (combination && combination[0] !== CombinationType.BOMB) {
        return combination
      }
    }
    return null
  }

  /* ---- pictures ---- */

  /**
   * @param {string} id - of a symbol
   * @param {number | string} [x]
   * @param {number | string} [y]
   * @param {number | string} [width]
   * @param {number | string} [height]
   * @returns {SVGElement}
   */
  function _use (id, x = 0, y = 0, width = '100%', height = '100%') {
    return Lib.svg('use', { href: `${Config.CARDS}#${id}`, x, y, width, height })
  }

  /**
   * A mark of the game: `seal`, `enso`, `bomb` ...
   *
   * @param {string} id
   * @param {string} [classes]
   * @returns {SVGElement}
   */
  function mark (id, classes = '') {
    return Lib.svg('svg', { 'aria-hidden': 'true', class: classes }, _use(id))
  }

  /**
   * @param {number} rank
   * @returns {SVGElement} the brushed numeral or letter
   */
  function rankMark (rank) {
    return mark('r' + rankLetter(rank))
  }

  /**
   * @param {Card} card
   * @returns {SVGElement[]}
   */
  function _special (card) {
    const initial = card[0]
    if (card === 'Ma') {
      return [_use('eM', 26, 44, 74, 92), _use('r1', 5, 4, 34, 46), _use('iM', 4, 52, 33, 26), ..._twoLetters('Ma', 78)]
    }
    const dog = card === 'Hu'
    return [
      _use('e' + initial, 25, 46, 74, 92),
      _use('i' + initial, 2, 6, 38, dog ? 36 : 28),
      ..._twoLetters(dog && User.settings.index === 'en' ? 'Do' : card, dog ? 45 : 38)
    ]
  }

  /**
   * @param {string} text
   * @param {number} y
   * @returns {SVGElement[]}
   */
  function _twoLetters (text, y) {
    return [Lib.svg('g', { fill: 'var(--e1)' }, _use('r' + text[0], 3, y, 17.6, 24), _use('r' + text[1], 20.5, y, 17.6, 24))]
  }

  /**
   * @param {Card} card
   * @returns {SVGElement[]}
   */
  function _suited (card) {
    const rank = value(card)
    const kind = suit(card)
    const index = [_use('r' + rankLetter(rank), 4, 5, 34, 46), _use('s' + kind, 9.5, 53, 22, 22), _use('r' + _SUITS[kind], 13, 77, 15, 20)]
    if (rank === Value.ACE) {
      return [_use('ring', 28, 55, 76, 76), _use('b' + kind, 46, 73, 40, 40), ...index]
    }
    if (rank >= Value.JACK) {
      return [_use('c' + _COURTS[rank - Value.JACK], 24, 40, 80, 99.2), _use('s' + kind, 80, 9, 13, 13), ...index]
    }
    return [_use('b' + kind, 37, 58, 58, 74), ...index]
  }

  /**
   * @param {Card | 'back'} card
   * @returns {SVGElement}
   */
  function face (card) {
    const parts = card === 'back' ? [_use('back', 0, 0, 100, 140)] : suit(card) ? _suited(card) : _special(card)
    return Lib.svg('svg', { viewBox: '0 0 100 140', 'aria-hidden': 'true', focusable: 'false' }, ...parts)
  }

  return {
    CombinationType,
    Value,
    label,
    labels,
    value,
    suit,
    wire,
    sorted,
    rankName,
    wishName,
    rankLetter,
    cardName,
    combinationName,
    recognise,
    mark,
    rankMark,
    face
  }
})()
