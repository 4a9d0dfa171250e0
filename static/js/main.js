/** Entry of the page. */
(async function () {
  'use strict'

  await I18n.use(User.settings.language)
  ViewManager.start()
  AppController.start()
  if (LoginView.invitedTable()) {
    document.getElementById('name')?.focus()
  }
})()
