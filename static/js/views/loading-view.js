/** What is shown while the page waits for the server. */
const LoadingView = (function () {
  'use strict'

  const { h } = Lib

  /**
   * @returns {HTMLElement}
   */
  function draw () {
    const isLate = State.data.isLossNoticed
    return h('main.view.loading', { 'data-key': 'loading' },
      h('h1.sr', null, 'Tichu'),
      Cards.mark('ring', 'spin'),
      h('p', { role: 'status' }, isLate ? I18n.t('The server does not answer. Trying again every second.') : I18n.t('Connecting …')),
      isLate && Parts.button(I18n.t('Cancel'), 'loadingView:cancel'))
  }

  return { draw }
})()
