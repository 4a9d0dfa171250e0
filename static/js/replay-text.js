/** What the replay page says: the steps of a round, where it comes from, what is wrong with a log. */

/**
 * @typedef {object} ReplayNote
 * @property {string} code
 * @property {string} [detail]
 * @property {boolean} [corrected]
 */

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
      case 'wish': return I18n.t('wishes for {rank}', { rank: Cards.rankName(value) })
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
   * @param {ReplayStep} step
   * @param {string[]} seats
   * @returns {string} as it is read out
   */
  function sentence (step, seats) {
    const name = step.seat === undefined ? '' : `${seats[step.seat]}: `
    return [name + what(step, seats), ...(step.notes || []).map(note)].join(' ')
  }

  /**
   * @param {string} code
   * @returns {string}
   */
  function _finding (code) {
    switch (code) {
      case 'empty': return I18n.t('Empty log')
      case 'too_short': return I18n.t('The log ends inside the round')
      case 'restarted': return I18n.t('A new round begins before this one was played')
      case 'unreadable': return I18n.t('Unreadable line')
      case 'label': return I18n.t('Unknown card')
      case 'count': return I18n.t('Wrong number of cards')
      case 'duplicate': return I18n.t('Card stands there twice')
      case 'not_in_hand': return I18n.t('Card is not in the hand')
      case 'already_played': return I18n.t('Card has been played before')
      case 'pass_on_lead': return I18n.t('Passes although it leads')
      case 'wish_not_followed': return I18n.t('The wish is not met')
      case 'not_playable': return I18n.t('Cannot be played here')
      case 'not_on_turn': return I18n.t('Not its turn')
      case 'too_long': return I18n.t('Goes on after the end of the round')
      case 'wish_without_mah_jong': return I18n.t('Wish without the Mah Jong')
      case 'dragon_not_given': return I18n.t('The dragon is not given away')
      case 'dragon_to_own_team': return I18n.t('The dragon goes to the own team')
      case 'dragon_without_winning': return I18n.t('The dragon is given away without a trick')
      case 'call_too_late': return I18n.t('Call after the first card')
      case 'call_twice': return I18n.t('Call stands there twice')
      case 'bombs_differ': return I18n.t('The list of bombs does not fit the hands')
      case 'score_impossible': return I18n.t('No round can end with this score')
      case 'grand_not_scored': return I18n.t('A grand Tichu was not counted')
      case 'score_mismatch': return I18n.t('The score in the log is another one')
      case 'game_unfinished': return I18n.t('The game was not finished')
      case 'played_on': return I18n.t('The game was over before')
      case 'player_changed': return I18n.t('Another player')
      case 'names_differ': return I18n.t('Names differ within the round')
      default: return code
    }
  }

  /**
   * @param {ReplayNote} note
   * @returns {string}
   */
  function note ({ code, detail, corrected }) {
    return `${_finding(code)}${detail ? `: ${detail}` : ''}${corrected ? ` (${I18n.t('corrected')})` : ''}`
  }

  return { cards, teams, source, gifts, what, sentence, note }
})()
