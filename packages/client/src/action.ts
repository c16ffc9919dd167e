import type { PostResult } from '@cool-ai/beach-core/ports'
import type { OutgoingPart } from './pending-messages.ts'

/** What the user did on a surface, as A2UI has it. */
export interface SurfaceAction {
  readonly name: string
  readonly surfaceId: string
  readonly sourceComponentId: string
  /** When it was done, as an ISO 8601 date. */
  readonly timestamp: string
  readonly context: Readonly<Record<string, unknown>>
}

/** An action as A2UI's renderers give it, with or without the message around it. */
export type ActionMessage = SurfaceAction | { readonly version: string; readonly action: SurfaceAction }

/** The result of an action: it is a message, or, on the surface of an approval, the decision. */
export type ActionResult =
  | PostResult
  | { readonly status: 'decided'; readonly approvalId: string; readonly decision: 'granted' | 'denied' }

/** The part that brings an action to the agent, and the key by which retries of it count once. */
export function actionPart(given: ActionMessage, dataModel?: unknown): { key: string; part: OutgoingPart } {
  const data = 'action' in given ? given : { version: 'v0.9', action: given }
  const { surfaceId, sourceComponentId, timestamp } = data.action
  const metadata = { partType: 'a2ui-action', a2uiClientDataModel: dataModel }
  // One person does not press one button twice at the same moment.
  return {
    key: `action-${hash(JSON.stringify([surfaceId, sourceComponentId, timestamp, data]))}`,
    part: { data, metadata },
  }
}

/** 64 bits of FNV-1a: enough for a key, and there on pages without TLS, where `crypto.subtle` is not. */
function hash(text: string): string {
  let value = 0xcbf29ce484222325n
  for (const byte of new TextEncoder().encode(text)) value = BigInt.asUintN(64, (value ^ BigInt(byte)) * 0x100000001b3n)
  return value.toString(16).padStart(16, '0')
}
