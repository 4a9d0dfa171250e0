/** Runs the page's own tests one after the other and shows what came of them. */
const TestRunner = (function () {
  'use strict'

  /** @type {Array<{ name: string, body: () => void | Promise<void> }>} */
  const _tests = []

  /**
   * Declares a test.
   *
   * @param {string} name - a fact
   * @param {() => void | Promise<void>} body
   */
  function test (name, body) {
    _tests.push({ name, body })
  }

  /**
   * @param {unknown} value
   * @returns {string} the same for equal values, whatever the order of their keys
   */
  function _text (value) {
    return JSON.stringify(value, (_, each) => each && typeof each === 'object' && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => a < b ? -1 : 1))
      : each) ?? 'undefined'
  }

  /**
   * @param {unknown} actual
   * @param {unknown} expected
   * @param {string} [what]
   */
  function equal (actual, expected, what = '') {
    if (_text(actual) !== _text(expected)) {
      throw new Error(`${what} is ${_text(actual)}, expected ${_text(expected)}`)
    }
  }

  /**
   * @param {unknown} value
   * @param {string} [what]
   */
  function ok (value, what = 'it') {
    if (!value) {
      throw new Error(`${what} is ${_text(value)}`)
    }
  }

  /**
   * @param {string} name
   * @param {unknown} [error]
   */
  function _show (name, error) {
    const detail = error instanceof Error ? error.stack : String(error || '')
    document.getElementById('results')?.append(
      Lib.h(error ? 'li.failed' : 'li', null, `${error ? '✗' : '✓'} ${name}`, detail !== '' && Lib.h('pre', null, detail)))
  }

  /** Runs everything; the closing line stands in `#summary`. */
  async function run () {
    let failed = 0
    for (const { name, body } of _tests) {
      try {
        await body()
        _show(name)
      }
      catch (error) {
        failed += 1
        _show(name, error)
      }
    }
    const summary = document.getElementById('summary')
    if (summary) {
      summary.textContent = `${_tests.length - failed} passed, ${failed} failed`
    }
  }

  return { test, equal, ok, run }
})()
