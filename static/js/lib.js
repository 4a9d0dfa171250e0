/**
 * General helpers.
 *
 * A view builds a fresh tree with `h` each time it draws, and `morph` changes the page into that tree. So drawing
 * twice changes nothing, and what the person is doing meanwhile (focus, typing, a pressed button) is left alone.
 */

/**
 * @typedef {object} Attributes
 * @property {Record<string, string | number>} [vars] - CSS custom properties
 */

/** @typedef {Node | string | number | null | undefined | false | Array<any>} Child - an array holds children */

const Lib = (function () {
  'use strict'

  const _SVG = 'http://www.w3.org/2000/svg'

  /**
   * Builds an element.
   *
   * @param {string} selector - tag and classes: `div.card.is-back`
   * @param {(Attributes & Record<string, any>) | null} [attributes] - `true` sets an empty attribute; null, undefined and false set none
   * @param {...Child} children
   * @returns {HTMLElement}
   */
  function h (selector, attributes, ...children) {
    const [tag, ...classes] = selector.split('.')
    const element = document.createElement(tag || 'div')
    if (classes.length) {
      element.className = classes.filter(Boolean).join(' ')
    }
    for (const [name, value] of Object.entries(attributes || {})) {
      if (name === 'vars') {
        for (const [property, setting] of Object.entries(value)) {
          element.style.setProperty(property, String(setting))
        }
      }
      else if (value !== null && value !== undefined && value !== false) {
        element.setAttribute(name, value === true ? '' : String(value))
      }
    }
    _append(element, children)
    return element
  }

  /**
   * @param {Element} parent
   * @param {Child} child
   */
  function _append (parent, child) {
    if (Array.isArray(child)) {
      child.forEach(each => _append(parent, each))
    }
    else if (child instanceof Node) {
      parent.append(child)
    }
    else if (child !== null && child !== undefined && child !== false) {
      parent.append(String(child))
    }
  }

  /**
   * Builds an SVG element.
   *
   * @param {string} tag
   * @param {Record<string, string | number>} attributes
   * @param {...Node} children
   * @returns {SVGElement}
   */
  function svg (tag, attributes, ...children) {
    const element = document.createElementNS(_SVG, tag)
    for (const [name, value] of Object.entries(attributes)) {
      element.setAttribute(name, String(value))
    }
    element.append(...children)
    return element
  }

  /**
   * What makes a node the same one in the next drawing.
   *
   * @param {Node | null} node
   * @returns {string}
   */
  function _key (node) {
    return node instanceof HTMLElement ? node.dataset.key || node.id : ''
  }

  /**
   * Changes one element into another of the same tag and keeps its identity.
   *
   * @param {Element} old - stands in the page
   * @param {Element} fresh - how it shall look
   */
  function morph (old, fresh) {
    for (const { name } of [...old.attributes]) {
      if (name !== 'style' && name !== 'open' && !fresh.hasAttribute(name)) {
        old.removeAttribute(name)
      }
    }
    for (const { name, value } of fresh.attributes) {
      if (name !== 'style' && old.getAttribute(name) !== value) {
        old.setAttribute(name, value)
      }
    }
    if (old instanceof HTMLElement && fresh instanceof HTMLElement && old.style.cssText !== fresh.style.cssText) {
      old.style.cssText = fresh.style.cssText
    }
    if (!old.hasAttribute('aria-live')) {
      // What was said is no part of any drawing.
      morphChildren(old, fresh)
    }
    if (old instanceof HTMLSelectElement && fresh instanceof HTMLSelectElement && old.value !== fresh.value) {
      old.value = fresh.value
    }
  }

  /**
   * Changes the children of one element into those of another.
   *
   * @param {Element} old
   * @param {Element} fresh
   */
  function morphChildren (old, fresh) {
    const staying = new Set([...fresh.children].map(_key))
    const keyed = new Map()
    for (const child of [...old.children]) {
      const key = _key(child)
      if (key && !staying.has(key)) {
        child.remove()
      }
      else if (key) {
        keyed.set(key, child)
      }
    }
    let place = old.firstChild
    for (const next of [...fresh.childNodes]) {
      const key = _key(next)
      const match = key ? keyed.get(key) : place
      if (!match || _key(match) !== key || match.nodeName !== next.nodeName) {
        old.insertBefore(next, place)
        continue
      }
      if (match === place) {
        place = match.nextSibling
      }
      else {
        old.insertBefore(match, place)
      }
      if (match instanceof Element && next instanceof Element) {
        morph(match, next)
      }
      else if (match.nodeValue !== next.nodeValue) {
        match.nodeValue = next.nodeValue
      }
    }
    while (place) {
      const gone = place
      place = place.nextSibling
      gone.remove()
    }
  }

  /**
   * @param {any} value
   * @param {(name: string) => string} rename
   * @returns {any} a copy with other names
   */
  function _renamed (value, rename) {
    if (Array.isArray(value)) {
      return value.map(each => _renamed(each, rename))
    }
    if (value && typeof value === 'object') {
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [rename(name), _renamed(each, rename)]))
    }
    return value
  }

  /**
   * From the wire's names to those of the page: `player_index_1` is `playerIndex1`.
   *
   * @param {any} value - JSON
   * @returns {any}
   */
  function camelCase (value) {
    return _renamed(value, name => name.replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase()))
  }

  /**
   * The other way.
   *
   * @param {any} value
   * @returns {any} JSON
   */
  function snakeCase (value) {
    return _renamed(value, name => name.replace(/([A-Z]|\d+)/g, '_$1').toLowerCase())
  }

  /**
   * An unguessable name, also where the page was not served over TLS.
   *
   * @returns {string} 128 random bits in hexadecimal digits
   */
  function randomId () {
    return [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16).padStart(2, '0')).join('')
  }

  /**
   * @template T
   * @param {readonly T[]} list
   * @returns {T}
   */
  function pick (list) {
    return list[Math.floor(Math.random() * list.length)]
  }

  /**
   * @param {readonly unknown[]} a
   * @param {readonly unknown[]} b
   * @returns {boolean} whether both hold the same, in any order
   */
  function sameSet (a, b) {
    return a.length === b.length && a.every(each => b.includes(each))
  }

  /**
   * @param {number} value
   * @returns {string} with a minus sign that is as wide as a digit
   */
  function number (value) {
    return String(value).replace('-', '−')
  }

  return { h, svg, morph, morphChildren, camelCase, snakeCase, randomId, pick, sameSet, number }
})()
