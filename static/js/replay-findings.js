/** What is wrong with a log, in words: the codes of arena/brettspielwelt/findings.py and the details beside them. */

/**
 * @typedef {object} ReplayNote
 * @property {string} code
 * @property {string} [detail] - in English, with the numbers of seats, as the archive keeps it
 * @property {boolean} [corrected]
 */

const ReplayFindings = (function () {
  'use strict'

  /**
   * @param {string} code
   * @returns {string}
   */
  function _name (code) {
    switch (code) {
      case 'abandoned': return I18n.t('The match was broken off here')
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
      case 'encoding': return I18n.t('Not written in UTF-8')
      case 'names_differ': return I18n.t('Names differ within the round')
      default: return code
    }
  }

  /* ---- details ---- */

  /**
   * @param {string} one
   * @param {string} other
   * @returns {string}
   */
  function _score (one, other) {
    return `${Lib.number(Number(one))} : ${Lib.number(Number(other))}`
  }

  /**
   * @param {string} part
   * @returns {string}
   */
  function _part (part) {
    switch (part) {
      case 'first eight': return I18n.t('the first eight cards')
      case 'fourteen': return I18n.t('the fourteen cards')
      default: return I18n.t('the exchange')
    }
  }

  /**
   * @param {string} what - cards, or the kind of a line
   * @returns {string}
   */
  function _did (what) {
    switch (what) {
      case 'pass': case 'passes': return I18n.t('passes')
      case 'tichu': return I18n.t('Tichu')
      case 'grand Tichu': return I18n.t('Grand Tichu')
      case 'dragon': return I18n.t('dragon')
      case 'nothing': return I18n.t('nothing')
      default: return what
    }
  }

  /**
   * @param {string} tuple - "(0, 2)", or "none"
   * @param {string[]} seats
   * @returns {string}
   */
  function _holders (tuple, seats) {
    return (tuple.match(/\d/g) || []).map(seat => seats[Number(seat)]).join(', ') || I18n.t('nobody')
  }

  /**
   * @param {string} before - "(0)Ada (1)Ben ..."
   * @param {string} after
   * @returns {string} only where they differ
   */
  function _renamed (before, after) {
    const [old, fresh] = [before, after].map(names => names.split(/ ?\(\d\)/).slice(1))
    return fresh.flatMap((name, seat) => name === old[seat] ? [] : [`${old[seat]} → ${name}`]).join(', ')
  }

  const _PART = '(first eight|fourteen|exchange)'
  /**
   * How details are said. `name` gives the name of a seat.
   *
   * @type {Array<[RegExp, (found: string[], name: (seat: string) => string, seats: string[]) => string]>}
   */
  const _DETAILS = [
    [/^line (\d+): (.*)$/, ([n, text], _, seats) => I18n.t('line {n}: {text}', { n, text: detail(text, seats) })],
    [/^the log ends$/, () => I18n.t('the log ends')],
    [/^a round begins$/, () => I18n.t('a round begins')],
    [/^a hand or gift is missing$/, () => I18n.t('a hand or an exchanged card is missing')],
    [/^the round is not over$/, () => I18n.t('the round is not over')],
    [/^logged (-?\d+) - (-?\d+), computed (-?\d+) - (-?\d+)$/, ([a, b, c, d]) =>
      I18n.t('{logged} in the log, {computed} by the rules', { logged: _score(a, b), computed: _score(c, d) })],
    [/^(?:logged )?(-?\d+) - (-?\d+)$/, ([a, b]) => _score(a, b)],
    [/^after (-?\d+) - (-?\d+)$/, ([a, b]) => I18n.t('after {score}', { score: _score(a, b) })],
    [/^logged (\(.*\)|none), held (\(.*\)|none)$/, ([logged, held], _, seats) =>
      I18n.t('the log names {logged}, one was held by {held}', { logged: _holders(logged, seats), held: _holders(held, seats) })],
    [/^(\(0\).*), then (\(0\).*)$/, ([before, after]) => _renamed(before, after)],
    [/^wish (\d+)$/, ([rank]) => I18n.t('Wish: {rank}', { rank: Cards.rankName(Number(rank)) })],
    [/^\(([0-3])\) (.+), but it is the turn of \(([0-3])\)$/, ([seat, what, turn], name) =>
      I18n.t('{name}: {what}; it is the turn of {other}', { name: name(seat), what: _did(what), other: name(turn) })],
    [/^\(([0-3])\) (.+), but (\d+) is wished$/, ([seat, what, rank], name) =>
      I18n.t('{name}: {what}; the wish is {rank}', { name: name(seat), what: _did(what), rank: Cards.rankName(Number(rank)) })],
    [/^\(([0-3])\) (.+) before taking the trick$/, ([seat, what], name) =>
      I18n.t('{name}: {what}, before taking the trick', { name: name(seat), what })],
    [/^\(([0-3])\) (.+) on (.+)$/, ([seat, what, top], name) =>
      I18n.t('{name}: {what} on {top}', { name: name(seat), what: _did(what), top: _did(top) })],
    [/^\(([0-3])\) gives it to \(([0-3])\)$/, ([seat, other], name) =>
      I18n.t('{name} gives it to {other}', { name: name(seat), other: name(other) })],
    [/^\(([0-3])\) has taken it$/, ([seat], name) => I18n.t('{name} has taken it', { name: name(seat) })],
    [/^to \(([0-3])\)$/, ([seat], name) => I18n.t('to {name}', { name: name(seat) })],
    [/^\(([0-3])\) (.+)$/, ([seat, what], name) => `${name(seat)}: ${_did(what)}`],
    [RegExp(`^no ${_PART}$`), ([part]) => I18n.t('missing: {part}', { part: _part(part) })],
    [RegExp(`^${_PART} of (\\d) seats$`), ([part, n]) => I18n.t('{part} of {n} seats', { part: _part(part), n })],
    [RegExp(`^${_PART}, \\(([0-3])\\): (\\d+) cards$`), ([part, seat, n], name) =>
      I18n.t('{part}, {name}: {n} cards', { part: _part(part), name: name(seat), n })],
    [RegExp(`^${_PART}, \\(([0-3])\\): (.+)$`), ([part, seat, what], name) => `${_part(part)}, ${name(seat)}: ${what}`]
  ]

  /**
   * @param {string} text
   * @param {string[]} seats - the names
   * @returns {string} in the language of the page; as it is where it cites the log
   */
  function detail (text, seats) {
    for (const [pattern, say] of _DETAILS) {
      const found = pattern.exec(text)
      if (found) {
        return say(found.slice(1), seat => seats[Number(seat)], seats)
      }
    }
    return text
  }

  /**
   * @param {ReplayNote} note
   * @param {string[]} seats - the names
   * @returns {string}
   */
  function note ({ code, detail: text, corrected }, seats) {
    return `${_name(code)}${text ? `: ${detail(text, seats)}` : ''}${corrected ? ` (${I18n.t('corrected')})` : ''}`
  }

  return { note }
})()
