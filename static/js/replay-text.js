/** What the replay page says: the steps of a round, how it ends, where it comes from. */

/**
 * @typedef {object} ReplayStep - what was done, and the position after it (games/replay.py)
 * @property {string} did
 * @property {string[]} hands - labels with nothing between them
 * @property {number} [seat]
 * @property {string} [cards]
 * @property {Combination} [combination]
 * @property {number} [value]
 * @property {string[]} [gifts]
 * @property {number[]} [trick]
 * @property {number} [turn]
 * @property {number[]} [calls]
 * @property {number} [wish]
 * @property {number[]} [points]
 * @property {number[]} [out]
 * @property {[number, number]} [result]
 * @property {ReplayNote[]} [notes]
 */

/**
 * @typedef {object} ReplayRound
 * @property {Array<string | number>} source
 * @property {[string, string]} teams
 * @property {string[]} seats
 * @property {Array<[number, number] | null>} results
 * @property {number} number
 * @property {ReplayStep[]} steps
 * @property {Array<{ text: string, notes?: ReplayNote[] }>} rest
 * @property {string} home - address in the admin
 * @property {string} before - address of the half before, '' without one
 * @property {string} after
 */

const ReplayText = (function () {
  'use strict'

  /**
   * @param {string} [text] - labels with nothing between them
   * @returns {Card[]}
   */
  function cards (text = '') {
    return text.match(/../g) || []
  }

  /**
   * @param {ReplayRound} round
   * @returns {string} who plays against whom
   */
  function teams ({ teams }) {
    return teams.join(' – ')
  }

  /**
   * @param {ReplayRound} round
   * @returns {string}
   */
  function source ({ source: [kind, name, number, half] }) {
    switch (kind) {
      case 'match': return I18n.t('Match {number}, table {name}', { number, name })
      case 'run': return I18n.t('Run {name}, pair {pair}, half {half}', { name, pair: number, half })
      case 'file': return I18n.t('Brettspielwelt, {name}, line {line}', { name, line: number })
      default: return I18n.t('Brettspielwelt, game {name}', { name })
    }
  }

  /**
   * @param {string[]} seats
   * @param {number} giver
   * @param {string} [gifts]
   * @returns {Array<{ name: string, card: Card }>} the cards that a seat gives, and to whom
   */
  function gifts (seats, giver, gifts) {
    return cards(gifts).map((card, index) => ({ name: seats[(giver + index + 1) % 4], card }))
  }

  /**
   * @param {Card} card
   * @returns {string} the letters in its corner
   */
  function _label (card) {
    return Cards.suit(card) ? card[0] + Cards.rankLetter(Cards.value(card)) : card === 'Hu' && User.settings.index === 'en' ? 'Do' : card
  }

  /**
   * @param {ReplayStep} step
   * @returns {string} the cards of a play that its name does not tell
   */
  function labels (step) {
    const played = step.combination ? cards(step.cards) : []
    return played.length > 1 ? played.map(_label).join(' ') : ''
  }

  /**
   * @param {ReplayStep} step
   * @param {string[]} seats
   * @returns {string} what was done, without the one who did it
   */
  function what (step, seats) {
    const { did, seat = -1, combination, value = 0 } = step
    const played = cards(step.cards)
    switch (did) {
      case 'deal': return I18n.t('The cards are dealt.')
      case 'grand': return I18n.t('calls a grand Tichu')
      case 'no_grand': return I18n.t('no grand Tichu')
      case 'schupf':
        return I18n.t('gives: {gifts}', { gifts: gifts(seats, seat, step.cards).map(({ name, card }) => `${Cards.cardName(card)} → ${name}`).join(', ') })
      case 'tichu': return I18n.t('calls Tichu')
      case 'pass': return I18n.t('passes')
      case 'wish': return I18n.t('wishes for {rank}', { rank: Cards.wishName(value) })
      case 'no_wish': return I18n.t('makes no wish')
      case 'dragon': return I18n.t('gives the dragon’s trick to {name}', { name: seats[value] })
      case 'take': return I18n.n('takes the trick: one point', 'takes the trick: {n} points', value, { n: Lib.number(value) })
    }
    if (played.length === 1) {
      return Cards.cardName(played[0])
    }
    return combination ? Cards.combinationName(combination, played) : ''
  }

  /**
   * @param {[number, number]} result
   * @returns {string}
   */
  function result ([one, two]) {
    return I18n.t('The round is over: {one} : {two}', { one: Lib.number(one), two: Lib.number(two) })
  }

  /**
   * @param {ReplayRound} round
   * @returns {string} why nothing comes after its last step
   */
  function end ({ steps, rest, seats }) {
    const last = steps.at(-1)
    const note = rest.find(line => line.notes)?.notes?.[0] || last?.notes?.at(-1)
    return last?.result ? result(last.result) : note ? ReplayFindings.note(note, seats) : ''
  }

  /**
   * @param {ReplayRound} round
   * @param {number} index - of the step
   * @returns {string} as it is read out
   */
  function sentence (round, index) {
    const { steps, seats } = round
    const step = steps[index]
    const name = step.seat === undefined ? '' : `${seats[step.seat]}: `
    const played = labels(step) && `: ${cards(step.cards).map(Cards.cardName).join(', ')}`
    const notes = (step.notes || []).map(note => ReplayFindings.note(note, seats))
    const last = index === steps.length - 1 ? [end(round)] : []
    return [...new Set([name + what(step, seats) + played, ...notes, ...last])].filter(Boolean).map(_closed).join(' ')
  }

  /**
   * @param {string} text
   * @returns {string} with a full stop
   */
  function _closed (text) {
    return /[.!?]$/.test(text) ? text : `${text}.`
  }

  return { cards, labels, teams, source, gifts, what, result, end, sentence }
})()
