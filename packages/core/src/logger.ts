import { systemClock, type Clock } from './clock.ts'
import { logSettingsOrDefault, type LogFormat } from './log-settings.ts'

/** How important a line of the log is. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
/** What a line of the log has besides its message. */
export type LogFields = Readonly<Record<string, unknown>>

/** The program's log; one entry a line, escaped, so that user text can neither forge a line nor colour one. */
export interface Logger {
  /** The lowest level that is written, where the logger says so: a line below it need not be made. */
  readonly level?: LogLevel | undefined
  log(level: LogLevel, message: string, fields?: LogFields): void
}

const order: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 }
const secretName = /authorization|cookie|password|secret|token|api[-_]?key|credential/i
const maxLength = 2_000
const maxDepth = 6

/**
 * A logger that writes one line for each entry at or above `level`, with values of secret-looking fields left out. Level and
 * format are those of `BEACH_LOG` when they are left out.
 */
export function createLogger(
  options: {
    level?: LogLevel
    format?: LogFormat
    clock?: Clock
    write?: (line: string, level: LogLevel) => void
  } = {},
): Logger {
  const settings = logSettingsOrDefault()
  const { level = settings.level, format = settings.format, clock = systemClock } = options
  const write = options.write ?? ((line) => console.error(line))
  const lineOf = format === 'json' ? jsonLine : textLine
  return {
    level,
    log(at, message, fields = {}) {
      if (order[at] < order[level]) return
      write(lineOf(new Date(clock.now()).toISOString(), at, message, cleaned(fields)), at)
    },
  }
}

/** True when entries of this level are known to be written. */
export function writes({ level }: Logger, at: LogLevel): boolean {
  return level !== undefined && order[at] >= order[level]
}

type LineOf = (time: string, level: LogLevel, message: string, fields: Record<string, unknown>) => string

const jsonLine: LineOf = (time, level, message, fields) => JSON.stringify({ time, level, message, ...fields })

const textLine: LineOf = (time, level, message, fields) => {
  const named = Object.entries(fields).flatMap(([name, value]) => {
    return value === undefined ? [] : `${plain(name)}=${textOf(value)}`
  })
  return [time.slice(11, 23), level.padEnd(5), plain(message), ...named].join(' ')
}

/** As it is when it is one word of plain characters, otherwise as JSON. */
function textOf(value: unknown): string {
  const isPlain = typeof value === 'string' && /^[\w.:/@+*-]+$/.test(value)
  return isPlain ? value : escaped(JSON.stringify(value) ?? String(value))
}

function plain(text: string): string {
  return escaped(JSON.stringify(text).slice(1, -1))
}

/** Terminals act on more characters than JSON escapes: further control characters, and those that turn the direction. */
function escaped(json: string): string {
  return json.replaceAll(/[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/** A logger that says nothing. */
export const silentLogger: Logger = { log: () => {} }

type TextOf = (text: string) => string

const asItIs: TextOf = (text) => text

/** The fields as they are written: errors as plain objects, long texts cut, members with names of secrets left out. */
export function cleaned(fields: LogFields, shown: TextOf = asItIs): Record<string, unknown> {
  return clean(fields, 0, shown) as Record<string, unknown>
}

function clean(value: unknown, depth: number, shown: TextOf): unknown {
  if (typeof value === 'string') return shortened(shown(value))
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= maxDepth) return '…'
  if (value instanceof Error) return cleanError(value, depth, shown)
  if (Array.isArray(value)) return value.slice(0, 100).map((item) => clean(item, depth + 1, shown))
  const result: Record<string, unknown> = {}
  for (const [name, item] of Object.entries(value)) {
    // How many tokens a model has used is no secret.
    const isCount = typeof item === 'number' && /tokens$/i.test(name)
    result[name] = secretName.test(name) && !isCount ? '[left out]' : clean(item, depth + 1, shown)
  }
  return result
}

function shortened(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
}

function cleanError(error: Error, depth: number, shown: TextOf): Record<string, unknown> {
  const code = 'code' in error ? { code: error.code } : {}
  const cause = error.cause === undefined ? {} : { cause: clean(error.cause, depth + 1, shown) }
  return {
    name: error.name,
    ...code,
    message: clean(error.message, depth, shown),
    stack: clean(error.stack, depth, shown),
    ...cause,
  }
}
