import { BeachError, type Principal, type Store } from '@cool-ai/beach-core'
import type { TracedTurn } from '@cool-ai/beach-core/ports'

const maxFound = 100

/** The index entry by which operators find a turn that told of an error. Callers may choose trace ids: several may match. */
export function tracedTurnKey(tenant: string, traceId: string, turnId: string): string {
  return `${tracePrefix}${encodeURIComponent(tenant)}:${traceId}:${turnId}`
}

export const tracePrefix = 'trace:'

/** The turns of the operator's tenant that told of an error under this trace id. */
export async function tracedTurns(store: Store, traceId: string, by: Principal): Promise<readonly TracedTurn[]> {
  if (!/^[0-9a-f]{32}$/.test(traceId)) {
    throw new BeachError('BAD_REQUEST', 'A trace id has 32 digits from 0 to 9 and a to f.')
  }
  const prefix = tracedTurnKey(by.tenant, traceId, '')
  const found = await store.list(prefix, undefined, maxFound)
  return found.map(({ key, value: sessionId }) => ({ sessionId, turnId: key.slice(prefix.length) }))
}
