import { systemClock, type Clock } from './clock.ts'
import { createLogger, type Logger } from './logger.ts'
import type { RequestReports, Telemetry } from './ports/telemetry.ts'
import type { DeclaredSecrets } from './redaction/declared-secrets.ts'

/** What a deterministic program has to be given: time, ids, randomness, and a log. */
export interface Runtime {
  readonly clock: Clock
  readonly logger: Logger
  /** Set by `createBeach` where reports are read: in the log, as metrics, or as spans. */
  readonly telemetry?: Telemetry | undefined
  /** Set by `createBeach` where errors are kept: the telemetry, if there is one. */
  readonly requests?: RequestReports | undefined
  /** Set by `createBeach`: values that are neither stored nor shown. */
  readonly secrets?: DeclaredSecrets | undefined
  /** A new identifier: `<prefix>_`, the second in which it is made, and 96 random bits. */
  id(prefix: string): string
  /** A number in [0, 1). */
  random(): number
}

/** A runtime like this one but for some members: others may share the one that was given. */
export function runtimeWith(runtime: Runtime, members: Partial<Runtime>): Runtime {
  const { clock, logger, telemetry, requests, secrets } = runtime
  const [id, random] = [runtime.id.bind(runtime), runtime.random.bind(runtime)]
  return { clock, logger, telemetry, requests, secrets, id, random, ...members }
}

/** The machine's clock, the platform's secure random numbers, and a logger as `BEACH_LOG` has it. */
export function systemRuntime(options: { logger?: Logger } = {}): Runtime {
  return { clock: systemClock, logger: options.logger ?? createLogger(), id: newId, random: () => Math.random() }
}

// Secure random numbers cost the same for few bytes as for thousands: they are fetched in bulk.
const pool = new Uint8Array(12 * 400)
let used = pool.length
let encoded = { at: 0, text: '' }

function newId(prefix: string): string {
  const at = Math.floor(systemClock.now() / 1_000)
  if (at !== encoded.at) encoded = { at, text: encodeSecond(at * 1_000) }
  if (used === pool.length) {
    crypto.getRandomValues(pool)
    used = 0
  }
  used += 12
  return `${prefix}_${encoded.text}${encodeId(pool.subarray(used - 12, used))}`
}

const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789'

// Ten bits at a time: half as many strings on the way to an id.
const pairs = Array.from(alphabet, (first) => Array.from(alphabet, (second) => first + second)).flat()

/** The bytes in base 32, in unambiguous characters (no l, o, 0, 1). */
export function encodeId(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let value = 0
  for (const byte of bytes) {
    value = (value << 8) | byte
    bits += 8
    if (bits < 10) continue
    bits -= 10
    text += pairs[value >>> bits] ?? ''
    value &= (1 << bits) - 1
  }
  // The remaining bits, padded with zeros: up to nine bits, in one character or two.
  if (bits > 5) return text + (pairs[value << (10 - bits)] ?? '')
  return bits > 0 ? text + alphabet[value << (5 - bits)] : text
}

/**
 * The second in which an id is made, in six characters that sort as time does, until 2054: what is made at the same time
 * then lies side by side in an index, and not scattered over all of it.
 */
export function encodeSecond(now: number): string {
  const second = Math.max(0, Math.floor((now - firstSecond) / 1_000))
  return [25, 20, 15, 10, 5, 0].map((shift) => sorted[(second >>> shift) & 31]).join('')
}

/** When an id of the system's runtime was made, to the second; undefined for any other text. */
export function timeOfId(id: string): number | undefined {
  const places = Array.from(/_([a-z2-9]{6})/.exec(id)?.[1] ?? '', (character) => sorted.indexOf(character))
  if (places.length === 0 || places.includes(-1)) return undefined
  return firstSecond + places.reduce((second, place) => second * 32 + place, 0) * 1_000
}

const firstSecond = Date.UTC(2020, 0, 1)
const sorted = Array.from(alphabet).toSorted((one, other) => (one < other ? -1 : 1))
