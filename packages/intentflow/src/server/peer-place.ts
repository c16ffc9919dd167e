import type { Principal, ToolContext } from '@cool-ai/beach-core'
import { ownerOf } from './tool-world.ts'

/** An instance of a caller of MCP. */
export interface PeerPlace {
  readonly session: string
  readonly instanceId: string
  readonly by: Principal
}

/** What callers know an instance by: they may be in another conversation with every call. */
export const handleOf = ({ instanceId, session }: Pick<PeerPlace, 'instanceId' | 'session'>): string =>
  `${instanceId}@${session}`

/** Where the instance of a handle is; whether it is the caller's is seen there. */
export function placeOf(given: string, { session }: ToolContext): PeerPlace {
  const at = given.lastIndexOf('@')
  const by = ownerOf(session)
  return at === -1
    ? { session: session.sessionId, instanceId: given, by }
    : { session: given.slice(at + 1), instanceId: given.slice(0, at), by }
}
