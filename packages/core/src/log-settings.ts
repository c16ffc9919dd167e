import { BeachError } from './errors.ts'
import type { LogLevel } from './logger.ts'

/** As lines of JSON for programs, or as text for people. */
export type LogFormat = 'json' | 'text'

export interface LogSettings {
  readonly level: LogLevel
  readonly format: LogFormat
}

const levels: ReadonlySet<string> = new Set<LogLevel>(['debug', 'info', 'warn', 'error'])
const formats: ReadonlySet<string> = new Set<LogFormat>(['json', 'text'])

/**
 * What `BEACH_LOG` says: a level, a format, or both with a comma between them, such as `info` or `debug,json`. What is left
 * out is `warn`, and text on a terminal or JSON elsewhere.
 */
export function parseLogSettings(text: string, isTerminal: boolean): LogSettings {
  let level: LogLevel = 'warn'
  let format: LogFormat = isTerminal ? 'text' : 'json'
  const seen = new Set<string>()
  for (const word of text.split(',').map((one) => one.trim())) {
    if (word === '' && text.trim() === '') break
    const kind = isLevel(word) ? 'level' : isFormat(word) ? 'format' : undefined
    if (kind === undefined || seen.has(kind)) throw wrong(text)
    seen.add(kind)
    if (isLevel(word)) level = word
    if (isFormat(word)) format = word
  }
  return { level, format }
}

/** The settings of this process; throws when `BEACH_LOG` is wrong. */
export function logSettings(): LogSettings {
  // Also loaded by browsers, which have no process.
  if (typeof process === 'undefined') return parseLogSettings('', false)
  return parseLogSettings(process.env.BEACH_LOG ?? '', process.stderr?.isTTY)
}

/** The same for loggers that are made while modules load: there a wrong value counts as none, and the start refuses it. */
export function logSettingsOrDefault(): LogSettings {
  try {
    return logSettings()
  } catch {
    return { level: 'warn', format: 'json' }
  }
}

function isLevel(word: string): word is LogLevel {
  return levels.has(word)
}

function isFormat(word: string): word is LogFormat {
  return formats.has(word)
}

function wrong(text: string): BeachError {
  return new BeachError(
    'INVALID_CONFIGURATION',
    `BEACH_LOG is ${JSON.stringify(text.slice(0, 100))}. Give it a level (debug, info, warn or error), a format (json or text), or both with a comma between them, such as BEACH_LOG=info,text.`,
  )
}
