import type { Principal, ToolContext } from '@cool-ai/beach-core'
import { ownerOf } from './flow-tool-context.ts'

/** An instance of a caller of MCP. */
export interface PeerInstance {
  readonly session: string
  /** What the caller knows the session by; to a guest it is the only way there. */
  readonly conversation: string
  readonly instanceId: string
  readonly by: Principal
}

type ToolSession = Pick<ToolContext, 'session' | 'conversationId'>

/** An instance in the session of a call. */
export function placeIn(
  { session, conversationId = session.sessionId }: ToolSession,
  instanceId: string,
): PeerInstance {
  return { session: session.sessionId, conversation: conversationId, instanceId, by: ownerOf(session) }
}

/** What callers know an instance by: it says where the instance is, since each call may be in another conversation. */
export function handleOf({ instanceId, conversation }: PeerInstance): string {
  return `${instanceId}@${conversation}`
}

/** The conversation in a handle. */
export function conversationOf(handle: string): string | undefined {
  const at = handle.lastIndexOf('@')
  return at === -1 ? undefined : handle.slice(at + 1)
}

/** Where the instance of a handle is; whether it is the caller's is seen there. */
export function placeOf(handle: string, context: ToolSession): PeerInstance {
  const conversation = conversationOf(handle)
  const instanceId = conversation === undefined ? handle : handle.slice(0, -conversation.length - 1)
  const here = placeIn(context, instanceId)
  return conversation === undefined || conversation === here.conversation
    ? here
    : { ...here, session: conversation, conversation }
}
