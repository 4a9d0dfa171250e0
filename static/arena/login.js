/** Logging in keeps the fragment: a link to a position of a replay leads there. */
(function () {
  'use strict'

  document.getElementById('login-form')?.setAttribute('action', location.href)
})()
