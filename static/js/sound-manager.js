/**
 * Eleven sounds, made on the spot from three instruments: paper (swept noise), wood (a struck bar), drum (a falling
 * sine). Nothing is downloaded. Browsers keep silent until the first tap, which `unlock` waits for.
 */

/**
 * @typedef {object} Stage
 * @property {BaseAudioContext} context
 * @property {AudioNode} out
 * @property {AudioBuffer} noise
 * @property {number} start - seconds
 */

const SoundManager = (function () {
  'use strict'

  const _SILENCE = 0.0001
  /** Partials of a struck bar: frequency, loudness. */
  const _PARTIALS = [[1, 1], [2.76, 0.32], [5.4, 0.1]]
  /** Who plays can be heard: a pitch for each seat seen from the own one. */
  const _SEATS = [392, 330, 294, 349]

  /** @type {AudioContext | null} */
  let _context = null
  /** @type {Omit<Stage, 'start'> | null} */
  let _stage = null

  /**
   * @param {BaseAudioContext} context
   * @returns {AudioBuffer} a second of noise, always the same
   */
  function _noise (context) {
    const buffer = context.createBuffer(1, context.sampleRate, context.sampleRate)
    const samples = buffer.getChannelData(0)
    let seed = 1
    for (let index = 0; index < samples.length; index++) {
      seed = (seed * 16807) % 2147483647
      samples[index] = seed / 1073741823.5 - 1
    }
    return buffer
  }

  /**
   * @param {Stage} stage
   * @param {number} start
   * @param {number} peak
   * @param {number} attack
   * @param {number} decay
   * @returns {GainNode}
   */
  function _envelope ({ context, out }, start, peak, attack, decay) {
    const gain = context.createGain()
    gain.gain.setValueAtTime(_SILENCE, start)
    gain.gain.exponentialRampToValueAtTime(peak, start + attack)
    gain.gain.exponentialRampToValueAtTime(_SILENCE, start + attack + decay)
    gain.connect(out)
    return gain
  }

  /**
   * @param {Stage} stage
   * @param {number} delay
   * @param {{ from: number, to: number, q: number, peak: number, attack: number, decay: number, at?: number }} sweep
   */
  function _paper (stage, delay, { from, to, q, peak, attack, decay, at = 0 }) {
    const start = stage.start + delay
    const end = start + attack + decay
    const source = stage.context.createBufferSource()
    const filter = stage.context.createBiquadFilter()
    source.buffer = stage.noise
    source.loop = true
    filter.type = 'bandpass'
    filter.Q.value = q
    filter.frequency.setValueAtTime(from, start)
    filter.frequency.exponentialRampToValueAtTime(to, end)
    source.connect(filter).connect(_envelope(stage, start, peak * 3, attack, decay))
    source.start(start, at)
    source.stop(end + 0.03)
  }

  /**
   * @param {Stage} stage
   * @param {number} delay
   * @param {number} frequency
   * @param {number} peak
   * @param {number} decay
   */
  function _wood (stage, delay, frequency, peak, decay) {
    const start = stage.start + delay
    for (const [partial, loudness] of _PARTIALS) {
      const tone = stage.context.createOscillator()
      tone.frequency.setValueAtTime(frequency * partial * 1.06, start)
      tone.frequency.exponentialRampToValueAtTime(frequency * partial, start + 0.02)
      tone.connect(_envelope(stage, start, peak * loudness, 0.002, decay / (partial * 0.7 + 0.3)))
      tone.start(start)
      tone.stop(start + decay + 0.05)
    }
  }

  /**
   * @param {Stage} stage
   * @param {number} from
   * @param {number} to
   * @param {number} peak
   * @param {number} decay
   */
  function _drum (stage, from, to, peak, decay) {
    const tone = stage.context.createOscillator()
    tone.frequency.setValueAtTime(from, stage.start)
    tone.frequency.exponentialRampToValueAtTime(to, stage.start + decay * 0.6)
    tone.connect(_envelope(stage, stage.start, peak, 0.003, decay))
    tone.start(stage.start)
    tone.stop(stage.start + decay + 0.05)
  }

  /**
   * @param {number} seat - seen from the own one
   * @returns {(stage: Stage) => void}
   */
  function _play (seat) {
    return stage => {
      _paper(stage, 0, { from: 2600 - seat * 260, to: 700, q: 0.9, peak: 0.34, attack: 0.004, decay: 0.075, at: seat * 0.2 })
      _wood(stage, 0.018, _SEATS[seat], 0.3, 0.1)
    }
  }

  /** @type {Record<string, (stage: Stage) => void>} */
  const _recipes = {
    select (stage) {
      _wood(stage, 0, 880, 0.22, 0.05)
      _paper(stage, 0, { from: 4200, to: 3000, q: 1.4, peak: 0.07, attack: 0.002, decay: 0.03 })
    },
    play0: _play(0),
    play1: _play(1),
    play2: _play(2),
    play3: _play(3),
    schupf (stage) {
      for (let slide = 0; slide < 3; slide++) {
        _paper(stage, slide * 0.07, { from: 1400, to: 3400, q: 0.8, peak: 0.22, attack: 0.03, decay: 0.1, at: slide * 0.21 })
      }
    },
    take (stage) {
      _paper(stage, 0, { from: 3000, to: 800, q: 0.7, peak: 0.3, attack: 0.05, decay: 0.2, at: 0.4 })
      _wood(stage, 0.2, 262, 0.26, 0.12)
    },
    shuffle (stage) {
      for (let tick = 0; tick < 14; tick++) {
        const delay = tick * 0.034 * (1 - tick * 0.012)
        const at = (tick * 0.13) % 0.9
        _paper(stage, delay, { from: 2400 + (tick % 3) * 500, to: 1500, q: 1.1, peak: 0.12 + 0.006 * tick, attack: 0.002, decay: 0.03, at })
      }
      _wood(stage, 0.46, 330, 0.24, 0.08)
    },
    announce (stage) {
      _wood(stage, 0, 392, 0.34, 0.5)
      _wood(stage, 0.11, 587.3, 0.3, 0.7)
      _drum(stage, 120, 70, 0.25, 0.25)
    },
    score (stage) {
      [523.3, 659.3, 784].forEach((frequency, index) => _wood(stage, index * 0.075, frequency, 0.3, 0.22))
    },
    bomb (stage) {
      _drum(stage, 170, 38, 0.95, 0.7)
      _paper(stage, 0, { from: 1800, to: 120, q: 0.5, peak: 0.3, attack: 0.004, decay: 0.42 })
      _wood(stage, 0, 130, 0.3, 0.3)
    }
  }

  /** Starts the sound system; only a handler of a tap or a key may do so. */
  function unlock () {
    if (_context) {
      if (_context.state === 'suspended') {
        _context.resume()
      }
      return
    }
    if (!window.AudioContext) {
      return
    }
    _context = new AudioContext()
    const compressor = _context.createDynamicsCompressor()
    const out = _context.createGain()
    out.gain.value = 0.5
    out.connect(compressor).connect(_context.destination)
    _stage = { context: _context, out, noise: _noise(_context) }
  }

  /**
   * Plays a sound, if the person wants any.
   *
   * @param {string} name
   */
  function play (name) {
    if (User.settings.sound && _stage && _context?.state === 'running') {
      _recipes[name]({ ..._stage, start: _context.currentTime + 0.005 })
    }
  }

  /**
   * Makes a sound without playing it.
   *
   * @param {string} name
   * @returns {Promise<AudioBuffer>} its first second
   */
  function render (name) {
    const context = new OfflineAudioContext(1, 44100, 44100)
    const out = context.createGain()
    out.gain.value = 0.5
    out.connect(context.destination)
    _recipes[name]({ context, out, noise: _noise(context), start: 0.001 })
    return context.startRendering()
  }

  return { NAMES: Object.keys(_recipes), unlock, play, render }
})()
