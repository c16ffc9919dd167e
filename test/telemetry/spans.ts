import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** A span as the SDK of a test's process has written it down. */
export interface WrittenSpan {
  readonly process: number
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parent?: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly status: number
  readonly linked: readonly string[]
}

export interface WrittenMetric {
  readonly metric: string
  readonly points: readonly {
    readonly attributes: Readonly<Record<string, unknown>>
    readonly value: number
    readonly count?: number
  }[]
}

const sdk = new URL('sdk.mjs', import.meta.url)

/** Has a process load the SDK before its program, and write its spans to a file. */
export function withSdk(file: string): Record<string, string> {
  return { NODE_OPTIONS: `--import=${fileURLToPath(sdk)}`, SPAN_FILE: file }
}

function linesIn(file: string): unknown[] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => (line === '' ? [] : (JSON.parse(line) as unknown)))
}

export function spansIn(file: string): WrittenSpan[] {
  return linesIn(file).filter(
    (line): line is WrittenSpan => typeof line === 'object' && line !== null && 'spanId' in line,
  )
}

export function metricsIn(file: string): WrittenMetric[] | undefined {
  const last = linesIn(file).findLast((line) => typeof line === 'object' && line !== null && 'metrics' in line)
  return (last as { metrics: WrittenMetric[] } | undefined)?.metrics
}

/** Waits until something is there. */
export async function found<Value>(look: () => Value | undefined | false): Promise<Value> {
  for (;;) {
    const value = look()
    if (value !== undefined && value !== false) return value
    await wait(20)
  }
}

/** The spans as paths from the root of their trace, such as `a > b`; a parent that no process here has written is `…`. */
export function pathsOf(spans: readonly WrittenSpan[]): string[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]))
  const pathOf = (span: WrittenSpan): string => {
    if (span.parent === undefined) return span.name
    const parent = byId.get(span.parent)
    return `${parent === undefined ? '…' : pathOf(parent)} > ${span.name}`
  }
  return spans.map(pathOf)
}
