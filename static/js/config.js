/** Configuration of the page. What only the server knows stands in data attributes of the `<html>` element. */
const Config = (function () {
  'use strict'

  const _data = document.documentElement.dataset

  return Object.freeze({
    /** Version of the program. */
    VERSION: _data.version || '',
    /** The sprites; their addresses carry a hash. */
    CARDS: _data.cards || 'images/cards.svg',
    ICONS: _data.icons || 'images/icons.svg',
    /** The socket's address. */
    SOCKET: location.origin.replace(/^http/, 'ws') + '/ws',
    /** Languages of the page; the first is the language of the source texts. */
    LANGUAGES: Object.freeze(['en', 'de']),
    /** Between two attempts to reconnect, and the longest wait while the server is busy. */
    RETRY_MS: 1000,
    BUSY_RETRY_MS: 15000,
    /** An attempt that has not led to a seat by then has failed; the server itself waits ten seconds for what it needs. */
    OPEN_TIMEOUT_MS: 12000,
    /** Between two pings; a pong that does not come as soon means that the line is dead. */
    PING_MS: 20000,
    /** A command that is not answered by then casts doubt on the line; a ping that is not by then, too, proves it dead. */
    ANSWER_MS: 3000,
    /** A lost connection is mentioned after this time. */
    LOST_NOTICE_MS: 2000,
    /** How long the last play of a round lies open before the trick is taken. */
    LAST_PLAY_MS: 1200,
    /** How long a call must be held. */
    HOLD_MS: 700,
    /** Between an event and its sentence for screen readers. */
    SPEECH_MS: 100,
    /** How long a toast stays. */
    TOAST_MS: 2600,
    /** Between two looks at the open tables. */
    TABLES_MS: 5000,
    /** Tables of people who play at once; they are not offered to others. */
    PRIVATE_TABLE: /#[0-9a-f]{8}$/,
    /** Names on the wire; the views know what people call them. The agents from easy to hard. */
    STRENGTHS: Object.freeze(['MixedAgent', 'RuleAgent', 'PolicyAgent']),
    RULES: Object.freeze(['house', 'pocket', 'brettspielwelt']),
    TARGETS: Object.freeze([500, 1000, 2000]),
    LIMITS: Object.freeze([0, 30, 60, 120])
  })
})()
