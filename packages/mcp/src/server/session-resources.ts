import type { ArtifactStore, Part, Runtime, Sessions } from '@cool-ai/beach-core'
import { defined, ifFound } from '@cool-ai/beach-core/runtime'
import {
  ResourceNotFoundError,
  type ListResourcesResult,
  type ListResourceTemplatesResult,
  type ReadResourceResult,
} from '@modelcontextprotocol/server'
import type { Caller } from './caller.ts'
import type { Conversation, Conversations } from './conversations.ts'
import type { ResourceUris } from './resource-uri.ts'

export interface ResourcesContext {
  readonly runtime: Runtime
  readonly sessions: () => Sessions
  readonly conversations: Conversations
  readonly uris: ResourceUris
  readonly artifacts?: ArtifactStore | undefined
}

const pageSize = 50
/** Larger artifacts are fetched by their links: here they would be one string in memory. */
const maxBytes = 8 * 1_024 * 1_024
const textType = /^(text\/|application\/(json|xml)$)/

/** The caller's conversations; a guest knows its own by their ids, and is told of none. */
export async function listConversations(
  { principal }: Caller,
  cursor: string | undefined,
  { sessions, uris }: ResourcesContext,
): Promise<ListResourcesResult> {
  if (principal === undefined) return { resources: [] }
  const page = await sessions().list({ limit: pageSize, after: cursor }, principal)
  return {
    resources: page.items.map(({ sessionId, openedAt }) => ({
      uri: uris.conversation(sessionId),
      name: sessionId,
      title: `Conversation of ${new Date(openedAt).toISOString()}`,
      mimeType: 'application/json',
    })),
    ...defined({ nextCursor: page.next }),
  }
}

export function resourceTemplates({ uris, artifacts }: ResourcesContext): ListResourceTemplatesResult {
  const conversation = {
    uriTemplate: uris.templates.conversation,
    name: 'conversation',
    description: 'What was said in a conversation.',
    mimeType: 'application/json',
  }
  const artifact = { uriTemplate: uris.templates.artifact, name: 'artifact', description: 'A file of a conversation.' }
  return { resourceTemplates: artifacts === undefined ? [conversation] : [conversation, artifact] }
}

/** What stands behind a URI, for those whose conversation it is of. */
export async function readResource(
  caller: Caller,
  uri: string,
  context: ResourcesContext,
): Promise<ReadResourceResult> {
  const address = context.uris.parse(uri)
  const conversation = address && (await ifFound(context.conversations.find(caller, address.conversationId)))
  if (address === undefined || conversation === undefined) throw new ResourceNotFoundError(uri)
  if (address.kind === 'conversation') return conversationContent(conversation, uri, context)
  return artifactContent(conversation, address.artifactId, uri, context)
}

async function conversationContent(
  { session, to, conversationId }: Conversation,
  uri: string,
  { sessions }: ResourcesContext,
): Promise<ReadResourceResult> {
  const said = new Map<string, { role: string; turnId: string | undefined; at: string; part: Part }>()
  let turnState: string | undefined
  for await (const frame of sessions().history(session, to)) {
    if (frame.kind === 'turn' || frame.kind === 'settled') turnState = frame.turnState
    if (frame.kind !== 'part') continue
    const { role, turnId, part, at } = frame
    const time = new Date(at).toISOString()
    said.set(frame.partId, { role, turnId, at: time, part })
  }
  const content = { conversationId, turnState, parts: [...said.values()] }
  return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(content) }] }
}

async function artifactContent(
  { session, principal }: Conversation,
  artifactId: string,
  uri: string,
  { artifacts }: ResourcesContext,
): Promise<ReadResourceResult> {
  const stored = await artifacts?.get(artifactId, principal.tenant)
  const isOther = stored?.artifact.session !== undefined && stored.artifact.session !== session
  if (stored === undefined || isOther) throw new ResourceNotFoundError(uri)
  const { mimeType, sizeBytes } = stored.artifact
  if (sizeBytes > maxBytes) {
    throw new ResourceNotFoundError(uri, `This file has ${sizeBytes} bytes, too many to be read here. Use its link.`)
  }
  const chunks: Uint8Array[] = []
  for await (const chunk of stored.open()) chunks.push(chunk)
  const bytes = Buffer.concat(chunks)
  const content = textType.test(mimeType) ? { text: bytes.toString('utf8') } : { blob: bytes.toString('base64') }
  return { contents: [{ uri, mimeType, ...content }] }
}
