/** What is shown while the page waits for the server. */
const LoadingView = (function () {
  'use strict'

  const { h } = Lib

  /**
   * @returns {HTMLElement}
   */
  function draw () {
    const { isLossNoticed: isLate, lossReason } = State.data
    return h('main.view.loading', { 'data-key': 'loading' },
      h('h1.sr', null, 'Tichu'),
      Cards.mark('ring', 'spin'),
      h('p', { role: 'status' }, isLate ? `${lossReason || I18n.t('The server does not answer.')} ${I18n.t('Trying again …')}` : I18n.t('Connecting …')),
      isLate && Parts.button(I18n.t('Cancel'), 'loadingView:cancel'))
  }

  return { draw }
})()
