/** The person's own data: name, table, session, settings; remembered between visits. */

/**
 * @typedef {object} Settings
 * @property {string} language
 * @property {string} index - letters of the court cards: `de` (B D K A) or `en` (J Q K A)
 * @property {string} suits - `four`, `safe` or `ink`
 * @property {boolean} sound
 * @property {boolean} confirm - whether a call asks back
 * @property {number} pace - multiplies the time of every movement; 0 is none
 */

/**
 * @typedef {object} UserData
 * @property {string} name
 * @property {string} table
 * @property {string} sessionId - a secret; '' without a seat
 * @property {Settings} settings
 */

const User = (function () {
  'use strict'

  const _STORE = 'tichu'

  const _language = I18n.preferred()

  /** @type {UserData} */
  const _data = {
    name: '',
    table: '',
    sessionId: '',
    settings: { language: _language, index: _language, suits: 'four', sound: true, confirm: false, pace: 1 }
  }

  try {
    const { settings, ...rest } = JSON.parse(localStorage.getItem(_STORE) || '{}')
    Object.assign(_data, rest)
    Object.assign(_data.settings, settings)
  }
  catch (error) {
    // Without storage the page forgets the person, and works all the same.
  }

  /**
   * Changes some of the data and remembers it.
   *
   * @param {Partial<UserData>} changes
   */
  function update (changes) {
    Object.assign(_data, changes)
    try {
      localStorage.setItem(_STORE, JSON.stringify(_data))
    }
    catch (error) {
      // As above.
    }
  }

  return {
    update,
    /** @returns {string} */
    get name () {
      return _data.name
    },
    /** @returns {string} */
    get table () {
      return _data.table
    },
    /** @returns {string} */
    get sessionId () {
      return _data.sessionId
    },
    /** @returns {Readonly<Settings>} */
    get settings () {
      return _data.settings
    }
  }
})()
