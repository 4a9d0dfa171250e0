/**
 * Dealing, exchanging, playing, taking. Everything that keeps its `data-key` glides from its old place to the new one;
 * every movement ends within 350 ms at any pace, and none runs where the person wants none.
 */

/** @typedef {{ left: number, top: number, width: number, height: number }} Box */

const Motion = (function () {
  'use strict'

  const _LONGEST_MS = 350
  const _LONGEST_DELAY_MS = 110
  const _OUT = 'cubic-bezier(.2, .8, .25, 1)'
  const _INK = 'cubic-bezier(.3, 0, .1, 1)'
  const _still = window.matchMedia('(prefers-reduced-motion: reduce)')

  /**
   * @returns {boolean}
   */
  function isOff () {
    return _still.matches || document.hidden || !User.settings.pace
  }

  /**
   * @param {number} ms - at the normal pace
   * @returns {number} at the person's
   */
  function duration (ms) {
    return isOff() ? 0 : ms * User.settings.pace
  }

  /**
   * @param {Element | null} element
   * @param {Keyframe[]} frames
   * @param {number} ms
   * @param {string} [easing]
   * @param {number} [delay]
   * @returns {globalThis.Animation | null}
   */
  function _run (element, frames, ms, easing = _OUT, delay = 0) {
    if (isOff() || !element) {
      return null
    }
    const wait = Math.min(_LONGEST_DELAY_MS, duration(delay))
    return element.animate(frames, { duration: Math.min(_LONGEST_MS - wait, duration(ms)), easing, delay: wait, fill: 'backwards' })
  }

  /**
   * @returns {NodeListOf<HTMLElement>}
   */
  function _cards () {
    return document.querySelectorAll('.card[data-key]')
  }

  /**
   * @param {HTMLElement} card
   * @param {Box} from
   * @param {boolean} isKnown - it was there before
   */
  function _glide (card, from, isKnown) {
    const to = card.getBoundingClientRect()
    const x = from.left + from.width / 2 - to.left - to.width / 2
    const y = from.top + from.height / 2 - to.top - to.height / 2
    const scale = isKnown && to.width ? from.width / to.width : 0.5
    if (!to.width || (Math.abs(x) + Math.abs(y) < 2 && Math.abs(scale - 1) < 0.02)) {
      return
    }
    const start = `translate(${x}px, ${y}px) scale(${scale})${isKnown ? '' : ' rotate(-8deg)'}`
    _run(card, [{ transform: start, opacity: isKnown ? 1 : 0.2 }, { transform: 'none', opacity: 1 }],
      isKnown ? 280 : 240, _OUT, isKnown ? 0 : Number(card.dataset.order || 0) * 12)
  }

  /**
   * Lets cards glide from where they lie before a change to where they lie after it.
   *
   * @param {() => void} change - changes the page
   * @param {(card: HTMLElement) => Box | null} [origin] - where a card comes from that was not there
   */
  function around (change, origin = () => null) {
    if (isOff()) {
      change()
      return
    }
    const before = new Map([..._cards()].map(card => [card.dataset.key, card.getBoundingClientRect()]))
    change()
    for (const card of _cards()) {
      const known = before.get(card.dataset.key)
      const from = known || origin(card)
      if (from) {
        _glide(card, from, Boolean(known))
      }
    }
  }

  /**
   * Copies of cards fly to a place and are gone.
   *
   * @param {Iterable<Element>} cards
   * @param {Array<Element | null>} targets - one for all, or one for each
   * @param {number} step - delay between two cards
   */
  function send (cards, targets, step) {
    if (isOff()) {
      return
    }
    [...cards].forEach((card, index) => {
      const target = targets[index % targets.length]
      if (!target) {
        return
      }
      const from = card.getBoundingClientRect()
      const to = target.getBoundingClientRect()
      const copy = /** @type {HTMLElement} */ (card.cloneNode(true))
      copy.removeAttribute('id')
      copy.removeAttribute('data-key')
      copy.classList.add('flying')
      copy.style.width = `${from.width}px`
      copy.style.height = `${from.height}px`
      document.body.append(copy)
      const x = to.left + to.width / 2 - from.width / 2
      const y = to.top + to.height / 2 - from.height / 2
      const flight = _run(copy, [
        { transform: `translate(${from.left}px, ${from.top}px)`, opacity: 1 },
        { transform: `translate(${x}px, ${y}px) scale(.34)`, opacity: 0.15 }
      ], 300, _INK, index * step)
      const land = () => copy.remove()
      flight?.finished.then(land, land)
    })
  }

  /**
   * A bomb falls: the splash grows, the cards slam, the stage shakes.
   */
  function bomb () {
    _run(document.querySelector('.boom'), [
      { transform: 'scale(.1) rotate(-20deg)', opacity: 0 },
      { transform: 'scale(1.12) rotate(3deg)', opacity: 1, offset: 0.55 },
      { transform: 'none', opacity: 1 }
    ], 340)
    _run(document.querySelector('.grid'), [0, -5, 4, -3, 2, 0].map(x => ({ transform: `translateX(${x}px)` })), 260, 'linear', 60)
    _run(document.querySelector('.pile-wrap'), [
      { transform: 'scale(1.5)', opacity: 0 },
      { transform: 'scale(.96)', opacity: 1, offset: 0.6 },
      { transform: 'none', opacity: 1 }
    ], 300)
  }

  /**
   * A call is stamped on a seat.
   *
   * @param {Element | null} seal
   */
  function stamp (seal) {
    _run(seal, [
      { transform: 'scale(2.6) rotate(12deg)', opacity: 0 },
      { transform: 'scale(.92)', opacity: 1, offset: 0.7 },
      { transform: 'none' }
    ], 260)
  }

  /**
   * Something was refused.
   *
   * @param {Element | null} element
   */
  function shake (element) {
    _run(element, [0, -4, 4, -2, 0].map(x => ({ transform: `translateX(${x}px)` })), 200, 'linear')
  }

  return { isOff, duration, around, send, bomb, stamp, shake }
})()
