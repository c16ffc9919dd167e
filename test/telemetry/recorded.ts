import { createLogger, systemRuntime, type LogLevel } from '@cool-ai/beach-core'

export interface Line {
  readonly message: string
  readonly level: string
  readonly session?: string
  readonly turn?: string
  readonly trace?: string
  readonly [field: string]: unknown
}

/** A runtime whose log is kept here. */
export function recorded(level: LogLevel = 'debug') {
  const written: string[] = []
  const logger = createLogger({ level, format: 'json', write: (line) => void written.push(line) })
  const lines = (message?: string): Line[] => {
    const all = written.map((line) => JSON.parse(line) as Line)
    return message === undefined ? all : all.filter((line) => line.message === message)
  }
  return { runtime: systemRuntime({ logger }), lines, written }
}
