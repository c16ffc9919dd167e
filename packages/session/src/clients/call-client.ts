import type { ToolClient } from '@cool-ai/beach-core/ports'
import type { ToolEntry } from '../turn/turn-slice.ts'

/** How long a call waits for its client, when the client's channel does not say. */
const defaultWaitMs = 60 * 60 * 1_000

/** What the start of a client tool says of its client, which is how the client learns of it; nothing when none offers it. */
export function waitOf({ originatorId, timeoutMs = defaultWaitMs }: ToolClient, now: number) {
  return originatorId === undefined ? undefined : { client: originatorId, expiresAt: now + timeoutMs }
}

/** True for a call that a client was called for, and has not run yet. */
export function isWithClient(call: ToolEntry | undefined): boolean {
  return call?.client !== undefined && call.outcome === undefined
}

export function notOffered(name: string): string {
  return `No client of this conversation offers the tool '${name}' now.`
}
