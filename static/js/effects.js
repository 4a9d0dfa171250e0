/** What an event looks, sounds and reads like: each once, when it happens. */
const Effects = (function () {
  'use strict'

  /**
   * @param {number} seat
   * @returns {Element | null}
   */
  function _avatar (seat) {
    return document.querySelector(`.stage [data-seat="${seat}"] .avatar`)
  }

  /**
   * @param {number} seat
   * @returns {Box | null}
   */
  function _place (seat) {
    return _avatar(seat)?.getBoundingClientRect() || null
  }

  /**
   * What flies away, while it still lies there.
   *
   * @param {string} event
   * @param {any} context
   */
  function _sendAway (event, context) {
    if (event === 'trick_taken') {
      Motion.send(document.querySelectorAll('.pile .card'), [_avatar(context.playerIndex)], 8)
    }
    else if (event === 'player_schupfed' && context.givenSchupfCards) {
      Motion.send(document.querySelectorAll('.zone .card'), [3, 2, 1].map(State.seat).map(_avatar), 15)
    }
  }

  /**
   * Where cards come from that were not there before.
   *
   * @param {string} event
   * @param {any} context
   * @returns {(card: HTMLElement) => Box | null}
   */
  function _origin (event, context) {
    switch (event) {
      case 'hand_cards_dealt': {
        const felt = document.querySelector('.felt')?.getBoundingClientRect()
        const deck = felt ? { left: felt.left + felt.width / 2 - 30, top: felt.top + felt.height / 2 - 40, width: 60, height: 80 } : null
        return card => card.closest('.hand') ? deck : null
      }
      case 'player_played': {
        const place = _place(context.turn[0])
        return card => card.closest('.pile') ? place : null
      }
      case 'start_playing': {
        const places = [1, 2, 3].map(State.seat).map(_place)
        return card => card.dataset.from ? places[Number(card.dataset.from) - 1] : null
      }
      default:
        return () => null
    }
  }

  /**
   * Sounds, and what moves in its place.
   *
   * @param {string} event
   * @param {any} context
   */
  function _accompany (event, context) {
    switch (event) {
      case 'hand_cards_dealt':
        if (context.handCards) {
          SoundManager.play('shuffle')
        }
        break
      case 'player_announced':
        SoundManager.play('announce')
        Motion.stamp(document.querySelector(`.stage [data-seat="${context.playerIndex}"] .seal-mark`))
        break
      case 'start_playing':
        SoundManager.play('schupf')
        break
      case 'player_played':
        if (context.turn[2][0] === Cards.CombinationType.BOMB) {
          SoundManager.play('bomb')
          Motion.bomb()
        }
        else {
          SoundManager.play(`play${State.relative(context.turn[0])}`)
        }
        break
      case 'trick_taken':
        SoundManager.play('take')
        break
      case 'round_over':
        SoundManager.play('score')
        break
    }
  }

  /**
   * Lets an event happen.
   *
   * @param {string} event
   * @param {any} context
   * @param {() => void} change - changes the state and has the page drawn
   */
  function around (event, context, change) {
    const early = event === 'trick_taken' ? Speech.sentence(event, context) : ''
    _sendAway(event, context)
    Motion.around(change, _origin(event, context))
    _accompany(event, context)
    Speech.say(early || Speech.sentence(event, context))
  }

  /**
   * Something was refused.
   *
   * @param {string} reason
   */
  function refuse (reason) {
    Speech.say(reason)
    Motion.shake(document.getElementById('prompt'))
  }

  return { around, refuse }
})()
