import { systemClock, type Clock } from './clock.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
export type LogFields = Readonly<Record<string, unknown>>

/** The program's log; one JSON object a line, so that user text can neither forge a line nor colour one. */
export interface Logger {
  log(level: LogLevel, message: string, fields?: LogFields): void
}

const order: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 }
const secretName = /authorization|cookie|password|secret|token|api[-_]?key|credential/i
const maxLength = 2_000
const maxDepth = 6

/** A logger that writes lines of JSON at or above `level`, with values of secret-looking fields left out. */
export function createLogger(
  options: { level?: LogLevel; clock?: Clock; write?: (line: string, level: LogLevel) => void } = {},
): Logger {
  const level = options.level ?? 'info'
  const clock = options.clock ?? systemClock
  const write = options.write ?? ((line) => console.error(line))
  return {
    log(at, message, fields = {}) {
      if (order[at] < order[level]) return
      write(JSON.stringify({ time: new Date(clock.now()).toISOString(), level: at, message, ...cleaned(fields) }), at)
    },
  }
}

/** A logger that says nothing. */
export const silentLogger: Logger = { log: () => {} }

function cleaned(fields: LogFields): Record<string, unknown> {
  return clean(fields, 0) as Record<string, unknown>
}

function clean(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.length > maxLength ? `${value.slice(0, maxLength)}…` : value
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= maxDepth) return '…'
  if (value instanceof Error) return cleanError(value, depth)
  if (Array.isArray(value)) return value.slice(0, 100).map((item) => clean(item, depth + 1))
  const result: Record<string, unknown> = {}
  for (const [name, item] of Object.entries(value)) {
    result[name] = secretName.test(name) ? '[left out]' : clean(item, depth + 1)
  }
  return result
}

function cleanError(error: Error, depth: number): Record<string, unknown> {
  const code = 'code' in error ? { code: error.code } : {}
  const cause = error.cause === undefined ? {} : { cause: clean(error.cause, depth + 1) }
  return { name: error.name, ...code, message: clean(error.message, depth), stack: clean(error.stack, depth), ...cause }
}
