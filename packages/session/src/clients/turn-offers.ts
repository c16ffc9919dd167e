import { sliceState, type SessionLog, type SessionRecord } from '@cool-ai/beach-core/log'
import type { OfferedTool } from '@cool-ai/beach-core/ports'
import { defined, jsonCopy } from '@cool-ai/beach-core/runtime'
import type { OpenTurn } from '../turn/turn-slice.ts'
import { clientSlice } from './client-slice.ts'

/** What the clients of those offer whose messages a turn answers. */
export interface TurnOffers {
  readonly tools: readonly OfferedTool[]
  readonly state: unknown
}

/** Reads what is offered now. Of two tools with one name the first counts, of two states the last. */
export async function readOffers(
  log: SessionLog,
  { session, state }: SessionRecord,
  { originators }: OpenTurn,
): Promise<TurnOffers> {
  const entries = sliceState(clientSlice, state)
  const tools = new Map<string, OfferedTool>()
  let shown: unknown
  for (const originatorId of originators) {
    const entry = Object.hasOwn(entries, originatorId) ? entries[originatorId] : undefined
    const offered = (await offeredAt(log, session, entry?.tools?.seq))?.tools
    const client = defined({ originatorId, timeoutMs: offered?.timeoutMs })
    for (const tool of offered?.offered ?? []) if (!tools.has(tool.name)) tools.set(tool.name, { ...tool, client })
    shown = (await offeredAt(log, session, entry?.state?.seq))?.state?.value ?? shown
  }
  return { tools: [...tools.values()], state: shown }
}

async function offeredAt(log: SessionLog, session: string, seq: number | undefined) {
  if (seq === undefined) return undefined
  const [found] = await log.read(session, seq - 1, 1)
  return found?.seq === seq && found.event.type === 'clientOffered' ? jsonCopy(found.event.payload) : undefined
}
