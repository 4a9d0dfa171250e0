/**
 * Every word of the page. The source texts are English; other languages come as catalogs of the server
 * (`locale/<language>/LC_MESSAGES/djangojs.po`). In a text, `{name}` is a place for an argument and `*stars*` mark what
 * is emphasised where `rich` draws it.
 */

/** @typedef {Record<string, string | number>} Arguments */
/** @typedef {{ text: string, strong: boolean }} Segment */

const I18n = (function () {
  'use strict'

  /** @type {Record<string, Record<string, string | string[]>>} */
  const _catalogs = { en: {} }
  let _language = 'en'

  /**
   * @returns {string} the first language of the browser that the page speaks
   */
  function preferred () {
    const wanted = navigator.languages.map(tag => tag.slice(0, 2).toLowerCase())
    return wanted.find(tag => Config.LANGUAGES.includes(tag)) || 'en'
  }

  /**
   * Speaks another language from now on. Where its texts cannot be had, the present one stays.
   *
   * @param {string} language
   * @returns {Promise<void>}
   */
  async function use (language) {
    if (!_catalogs[language]) {
      try {
        const response = await fetch(`/catalog/${language}.json?${Config.VERSION}`)
        _catalogs[language] = (await response.json()).catalog
      }
      catch (error) {
        return
      }
    }
    _language = language
    document.documentElement.lang = language
  }

  /**
   * @param {string} text
   * @param {Arguments} [args]
   * @returns {string}
   */
  function _fill (text, args = {}) {
    return text.replace(/\{(\w+)\}/g, (place, name) => name in args ? String(args[name]) : place)
  }

  /**
   * @param {string} id
   * @returns {string | string[] | undefined}
   */
  function _look (id) {
    const catalog = _catalogs[_language]
    return Object.hasOwn(catalog, id) ? catalog[id] : undefined
  }

  /**
   * @param {string} text
   * @param {Arguments} [args]
   * @returns {string}
   */
  function t (text, args) {
    return _fill(String(_look(text) ?? text), args)
  }

  /**
   * A text whose meaning depends on where it stands.
   *
   * @param {string} context
   * @param {string} text
   * @param {Arguments} [args]
   * @returns {string}
   */
  function p (context, text, args) {
    return _fill(String(_look(context + '\x04' + text) ?? text), args)
  }

  /**
   * A text that depends on a number, which is its argument `n`.
   *
   * @param {string} one
   * @param {string} many
   * @param {number} n
   * @param {Arguments} [args]
   * @returns {string}
   */
  function n (one, many, n, args) {
    const forms = _look(one)
    return _fill(Array.isArray(forms) ? forms[n === 1 ? 0 : 1] : n === 1 ? one : many, { n, ...args })
  }

  /**
   * A text with emphasis. Arguments are filled in afterwards: a name may contain what it likes.
   *
   * @param {string} text
   * @param {Arguments} [args]
   * @returns {Segment[]}
   */
  function rich (text, args) {
    return String(_look(text) ?? text).split('*').map((part, index) => ({ text: _fill(part, args), strong: index % 2 === 1 }))
  }

  return {
    preferred,
    use,
    t,
    p,
    n,
    rich,
    /** The language spoken now. */
    get language () {
      return _language
    }
  }
})()
