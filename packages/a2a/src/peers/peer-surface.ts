import { plainWords } from '@cool-ai/beach-channel/peers'
import { BeachError, type Part } from '@cool-ai/beach-core'
import type { PeerAction } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import {
  a2uiActionOf,
  approvalSurfacePrefix,
  peerSurfacePrefix,
  readA2uiMessages,
  surfaceIds,
  type A2uiMessage,
} from '@cool-ai/beach-protocol'
import { digest } from './conversation-id.ts'

/** The longest surface id that an action may have. */
const maxIdLength = 200

/** The peer and the conversation that a surface belongs to. */
export interface SurfaceSource {
  readonly peer: string
  readonly name: string
  readonly contextId?: string | undefined
}

/**
 * The messages of a peer's surface as this agent shows them; undefined when it does not. The ids get a prefix that no
 * other conversation has, and the theme gets the name that this agent knows the peer by. Surfaces of the peer's own
 * approvals are left out: this agent requests those approvals itself.
 */
export function surfaceHere(data: unknown, source: SurfaceSource): A2uiMessage[] | undefined {
  const messages = readA2uiMessages(data)
  if (messages === undefined) return undefined
  const prefix = prefixOf(source)
  const ids = surfaceIds(messages)
  if (ids.some((id) => id.startsWith(approvalSurfacePrefix) || prefix.length + id.length > maxIdLength))
    return undefined
  return messages.map((message) => messageHere(message, prefix, source.name))
}

/** The action in the form that the peer gets: with the peer's own surface ids, and the data of its surfaces only. */
export function actionThere({ peer, part }: PeerAction, contextId: string | undefined): Part {
  const prefix = prefixOf({ peer, contextId })
  const action = a2uiActionOf(part)
  if (action === undefined || !action.surfaceId.startsWith(prefix)) {
    throw new BeachError('BAD_REQUEST', `This action is not on a surface of this conversation with '${peer}'.`)
  }
  const { version } = part.data as { readonly version: string }
  const { a2uiClientDataModel: model } = part.metadata
  const data = { version, action: { ...action, surfaceId: action.surfaceId.slice(prefix.length) } }
  return { data, metadata: defined({ partType: 'a2ui-action', a2uiClientDataModel: dataThere(model, prefix) }) }
}

/** The same for an agent that only speaks A2UI's extension of A2A: the part, and the metadata of the message. */
export function foreignAction({ data, metadata }: Part): { part: Part; metadata: Readonly<Record<string, unknown>> } {
  const { a2uiClientDataModel } = metadata
  const { version } = data as { readonly version: string }
  const mimeType = version === 'v0.9' ? 'application/json+a2ui' : 'application/a2ui+json'
  const part = { data: [data], metadata: { partType: 'a2ui-action', mimeType } }
  return { part, metadata: defined({ a2uiClientDataModel }) }
}

// A hash of the peer and its context, so that no other peer can choose an id with this prefix.
function prefixOf({ peer, contextId = '' }: Pick<SurfaceSource, 'peer' | 'contextId'>): string {
  return `${peerSurfacePrefix}${digest('surface', peer, contextId).slice(0, 16)}:`
}

function messageHere({ version, ...bodies }: A2uiMessage, prefix: string, name: string): A2uiMessage {
  const [[kind, body] = ['', undefined]] = Object.entries(bodies)
  const given = body as Readonly<Record<string, unknown>>
  const surfaceId = typeof given?.surfaceId === 'string' ? `${prefix}${given.surfaceId}` : given?.surfaceId
  const theme = kind === 'createSurface' ? { theme: themeHere(given?.theme, name) } : undefined
  return { version, [kind]: { ...given, surfaceId, ...theme } }
}

/** A2UI requires the agent that passes a surface on to set the author's name: the surface's own claim is not trusted. */
function themeHere(given: unknown, name: string): Readonly<Record<string, unknown>> {
  const { iconUrl: _, agentDisplayName: __, ...theme } = (given ?? {}) as Readonly<Record<string, unknown>>
  return { ...theme, agentDisplayName: plainWords(name, 80) }
}

function dataThere(model: unknown, prefix: string): unknown {
  if (typeof model !== 'object' || model === null || !('surfaces' in model)) return undefined
  const own = Object.entries(model.surfaces as object).filter(([id]) => id.startsWith(prefix))
  if (own.length === 0) return undefined
  const surfaces = Object.fromEntries(own.map(([id, data]) => [id.slice(prefix.length), data as unknown]))
  return { ...model, surfaces }
}
