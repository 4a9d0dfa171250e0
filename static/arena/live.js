// Keeps what is said about running runs up to date.
//
// An element with data-live-url holds the page's parts; each part has a name in data-live. While the page can be seen,
// the url is asked every two seconds. It answers {running, status, parts}: the HTML of parts by their names, a sentence
// for screen readers that seldom changes, and whether to ask again. If not, a page with data-live-reload is loaded anew.
;(() => {
  'use strict'

  const PAUSE_MS = 2000
  const root = /** @type {HTMLElement | null} */ (document.querySelector('[data-live-url]'))
  const url = root?.dataset.liveUrl
  let timer = 0

  /**
   * Changes a node into another one and leaves alone what is equal, so that an opened <details> stays open and a picture
   * stays until the next one is there.
   * @param {ChildNode} old
   * @param {ChildNode} fresh
   */
  function morph(old, fresh) {
    if (old.nodeName !== fresh.nodeName) {
      old.replaceWith(fresh)
    } else if (old instanceof Element && fresh instanceof Element) {
      for (const { name, value } of fresh.attributes) {
        if (old.getAttribute(name) !== value) { old.setAttribute(name, value) }
      }
      for (const { name } of [...old.attributes]) {
        if (!fresh.hasAttribute(name) && name !== 'open') { old.removeAttribute(name) }
      }
      morphChildren(old, fresh)
    } else if (old.nodeValue !== fresh.nodeValue) {
      old.nodeValue = fresh.nodeValue
    }
  }

  /**
   * @param {Element} old
   * @param {Element | DocumentFragment} fresh
   */
  function morphChildren(old, fresh) {
    const before = [...old.childNodes]
    const after = [...fresh.childNodes]
    after.forEach((node, i) => {
      if (before[i]) { morph(before[i], node) } else { old.append(node) }
    })
    before.slice(after.length).forEach(node => node.remove())
  }

  /** @param {{status: string, parts: Record<string, string>}} answer */
  function show({ status, parts }) {
    for (const [name, html] of Object.entries(parts)) {
      const part = document.querySelector(`[data-live="${CSS.escape(name)}"]`)
      const template = document.createElement('template')
      template.innerHTML = html
      if (part) { morphChildren(part, template.content) }
    }
    const said = document.querySelector('[data-live-status]')
    if (said && said.textContent !== status) { said.textContent = status }
  }

  async function ask() {
    clearTimeout(timer)
    if (!url || document.hidden) { return }
    let running = true // a server that does not answer may be starting anew
    try {
      const response = await fetch(url, { headers: { Accept: 'application/json' } })
      if (response.redirected || response.status === 403 || response.status === 404) { return } // logged out, or deleted
      if (response.ok) {
        const answer = await response.json()
        running = answer.running
        show(answer)
      }
    } catch {
      // The next one may succeed.
    }
    clearTimeout(timer)
    if (running) {
      timer = window.setTimeout(ask, PAUSE_MS)
    } else {
      document.removeEventListener('visibilitychange', ask)
      if (root?.dataset.liveReload !== undefined) { location.reload() }
    }
  }

  if (url) {
    document.addEventListener('visibilitychange', ask)
    timer = window.setTimeout(ask, PAUSE_MS)
  }
})()
