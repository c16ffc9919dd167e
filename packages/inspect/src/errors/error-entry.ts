import type { NotedError } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'

/** An error that a caller was told of, as operators find it: ids, names and codes, nothing that was said or by whom. */
export interface ErrorEntry {
  readonly errorId: string
  readonly at: number
  readonly code: string
  readonly status: number
  readonly method?: string | undefined
  /** The path as it is registered. */
  readonly route?: string | undefined
  readonly session?: string | undefined
  readonly turn?: string | undefined
  readonly trace?: string | undefined
  /** The process that answered, by the machine's name and its number there. */
  readonly process: string
  /** What was thrown, and what caused it: names and codes, the outermost first. */
  readonly causes?: readonly string[] | undefined
  /** Where it was thrown. */
  readonly place?: string | undefined
}

const maxCauses = 5

/** The entry of an error, without its sentences: they may have words of users in them. */
export function errorEntry(noted: NotedError, at: number, process: string): ErrorEntry {
  const { id: errorId, code, status, error, method, route, session, turn, trace } = noted
  const causes = causesOf(error)
  return defined({
    errorId,
    at,
    code,
    status,
    method,
    route,
    session,
    turn,
    trace,
    process,
    causes: causes.length > 0 ? causes : undefined,
    // Where a refusal is thrown is known by its code and its path.
    place: status >= 500 ? placeOf(error) : undefined,
  })
}

function causesOf(error: unknown): string[] {
  const causes: string[] = []
  for (let link = error; link instanceof Error && causes.length < maxCauses; link = link.cause) {
    const code = 'code' in link && (typeof link.code === 'string' || typeof link.code === 'number') ? link.code : ''
    causes.push(`${link.name} ${code}`.trim().slice(0, 100))
  }
  return causes
}

/** The first line of the stack that names a file, without the folders that lead there. */
function placeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const place = /^ {4}at .*?([\w.@-]+\/[\w.@-]+:\d+):\d+\)?$/m.exec(error.stack ?? '')?.[1]
  return place?.slice(0, 200)
}
