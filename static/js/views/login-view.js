/** The start: play at once, or sit down at a table by name. */
const LoginView = (function () {
  'use strict'

  const { h } = Lib

  /**
   * @param {string} id
   * @param {string} label
   * @param {string} value
   * @param {Record<string, any>} attributes
   * @returns {HTMLElement}
   */
  function _field (id, label, value, attributes) {
    return h('div.field', null,
      h('label', { for: id }, label),
      h('input', { id, name: id, value, maxlength: 30, required: true, ...attributes }))
  }

  /**
   * @param {OpenTable} table
   * @returns {HTMLElement}
   */
  function _openTable ({ name, players, freeSeats: free }) {
    return h('li', { 'data-key': `table:${name}` },
      h('div', null, h('b', null, name), h('small', null, `${players.join(', ')} · ${I18n.n('one seat free', '{n} seats free', free)}`)),
      h('span.dots', { 'aria-hidden': 'true' }, [1, 2, 3, 4].map(place => h(place <= 4 - free ? 'i.on' : 'i'))),
      Parts.button(I18n.t('Sit down'), 'loginView:sit', '.small', {
        'data-arg': name, 'aria-label': I18n.t('Sit down: {table}', { table: name })
      }))
  }

  /**
   * @returns {string} the table that a link invites to
   */
  function invitedTable () {
    return new URLSearchParams(location.search).get('table') || ''
  }

  /**
   * @returns {HTMLElement}
   */
  function draw () {
    const { openTables, loginNote } = State.data
    return h('main.view.login', { 'data-key': 'login' },
      h('div.topline', null,
        h('div.links', null, Parts.button(I18n.t('Rules'), 'page:rules', '.ghost.small')),
        Parts.languageSwitch()),
      h('div.hero', null,
        h('div.hero-art', { 'aria-hidden': 'true' }, Cards.mark('enso', 'e'), Cards.mark('eD', 'd')),
        h('h1', null, 'Tichu'),
        h('p', null, I18n.t('Four at the table, two pairs. Play agents at once, or your friends.'))),
      h('div.start', null,
        loginNote && h('p.warning', { role: 'alert' }, loginNote),
        h('button.btn.seal', { type: 'button', 'data-do': 'loginView:playAtOnce' },
          h('span', null, I18n.t('Play at once'), h('small', null, I18n.t('against three agents, no sign-up')))),
        h('form.sheet.join', { 'data-do': 'loginView:login' },
          h('div.two', null,
            _field('name', I18n.t('Your name'), User.name, { autocomplete: 'nickname' }),
            _field('table', I18n.p('place', 'Table'), invitedTable() || (Config.PRIVATE_TABLE.test(User.table) ? '' : User.table), { autocomplete: 'off' })),
          h('button.btn.primary', { type: 'submit' }, I18n.t('Join the table'))),
        openTables.length > 0 && h('section.tables', { 'aria-labelledby': 'open-tables' },
          h('h2', { id: 'open-tables' }, I18n.t('Open tables')),
          h('ul', null, openTables.map(_openTable))),
        h('p.version', null, Config.VERSION && I18n.t('Version {version}', { version: Config.VERSION }))))
  }

  return { draw, invitedTable }
})()
