/** The rules in short, for the dialog. */
const RulesText = (function () {
  'use strict'

  const { h } = Lib

  /**
   * @param {string} title
   * @param {...string} paragraphs
   * @returns {HTMLElement}
   */
  function _chapter (title, ...paragraphs) {
    return h('section', null, h('h3', null, title), paragraphs.map(text => h('p', null, text)))
  }

  /**
   * @param {string} title
   * @param {Array<[string, string]>} entries
   * @returns {HTMLElement}
   */
  function _list (title, entries) {
    return h('section', null, h('h3', null, title), h('dl', null, entries.map(([term, text]) => [h('dt', null, term), h('dd', null, text)])))
  }

  /**
   * @returns {HTMLElement}
   */
  function draw () {
    return h('div.rules', null,
      _chapter(I18n.t('The aim'),
        I18n.t('Four play, two against two; your partner sits opposite. Get rid of your cards early and take tricks with many points. The first pair to reach the target, usually 1000, wins.')),
      _list(I18n.t('The cards'), [
        [I18n.t('56 cards'), I18n.t('Four suits (sword, pagoda, jade, star) from 2 to ace, and four special cards.')],
        [I18n.t('Mah Jong'), I18n.t('Counts as 1. Whoever holds it leads first, and whoever plays it wishes for a rank: the next who has it and can play it, must.')],
        [I18n.t('Dog'), I18n.t('Can only be led, alone. It hands the lead to your partner.')],
        [I18n.t('Phoenix'), I18n.t('Stands for any card, but never in a bomb. Alone it is half a rank above the card it beats, and never beats the dragon. Minus 25 points.')],
        [I18n.t('Dragon'), I18n.t('The highest single card, 25 points. If it takes the trick, you give that trick to an opponent.')],
        [I18n.t('Points'), I18n.t('Kings and tens 10, fives 5, dragon 25, phoenix minus 25: 100 in each round.')]
      ]),
      _list(I18n.t('A round'), [
        [I18n.t('Grand Tichu'), I18n.t('With the first eight cards you may call it: 200 points if you are the first of all to go out, minus 200 if not.')],
        [I18n.t('Exchange'), I18n.t('With 14 cards you give one card to each of the others, and get one from each.')],
        [I18n.t('Tichu'), I18n.t('Until you play your first card you may call it: 100 points, or minus 100.')],
        [I18n.t('Tricks'), I18n.t('Whoever leads plays any combination. The others in turn play a higher one of the same kind and length, or pass. Who has passed may play again in the same trick. When nobody goes higher, the last player takes the trick and leads.')],
        [I18n.t('The end'), I18n.t('The round ends when three players are out. The last one gives the cards in hand to the opponents and the tricks to whoever was out first. If both of a pair are out first, they get 200 points and no cards are counted.')]
      ]),
      _list(I18n.t('Combinations'), [
        [I18n.t('Single, pair, triple'), I18n.t('One, two or three cards of a rank.')],
        [I18n.t('Stairs'), I18n.t('Two or more pairs in a row: 7 7 8 8 9 9.')],
        [I18n.t('Full house'), I18n.t('A triple and a pair; the triple counts.')],
        [I18n.t('Street'), I18n.t('Five or more cards in a row, of any suits.')],
        [I18n.t('Bomb'), I18n.t('Four of a rank, or a street of one suit. Beats everything but a higher bomb, and may be thrown out of turn while a trick is open.')]
      ]),
      _list(I18n.t('Keys'), [
        [I18n.t('Arrows, space'), I18n.t('Move in the hand, select a card.')],
        [I18n.t('Enter'), I18n.t('The right button: play, exchange, pick up.')],
        ['P, T, S, B', I18n.t('Pass, Tichu, suggest, bomb.')],
        ['1, 2, 3', I18n.t('Give the selected card left, opposite, right.')],
        ['L, C, Esc', I18n.t('Last trick, chat, clear the selection.')]
      ]))
  }

  return { draw }
})()
