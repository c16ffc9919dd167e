import { linkedParts, type ArtifactLinkOf } from '@cool-ai/beach-channel'
import { askToolName } from '@cool-ai/beach-channel/peers'
import type { ArtifactStore, Part, PartTypeRegistry } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import {
  approvalQuestion,
  askedApproval,
  approvalSurfacePrefix,
  artifactName,
  artifactSchema,
  knowsCatalogs,
  readA2uiMessages,
  surfaceIds,
} from '@cool-ai/beach-protocol'
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server'
import type { Conversation } from './conversations.ts'
import type { CallMessage } from './ask-tool.ts'
import { ResourceUris } from './resource-uri.ts'
import type { ShownSurfaces } from './shows-surfaces.ts'
import type { TurnOutcome } from './turn-outcome.ts'

export interface AnswerContext {
  readonly uris: ResourceUris
  readonly partTypes: PartTypeRegistry
  readonly hasArtifacts: boolean
  readonly artifactLink?: ArtifactLinkOf | undefined
  readonly resumeTool: string
}

/** What the results of an agent follow from. */
export interface AnswerOptions {
  readonly partTypes: PartTypeRegistry
  readonly agent: { readonly id: string }
  /** The name of the conversational tool; `ask_` and the agent's id when left out. */
  readonly tool?: string | undefined
  readonly artifacts?: ArtifactStore | undefined
  readonly artifactLink?: ArtifactLinkOf | undefined
}

export function answerContext({ partTypes, agent, artifacts, artifactLink, tool }: AnswerOptions): AnswerContext {
  return {
    partTypes,
    uris: new ResourceUris(agent.id),
    hasArtifacts: artifacts !== undefined,
    resumeTool: `${tool ?? askToolName(agent.id)}_resume`,
    artifactLink,
  }
}

/** True for what goes to MCP callers besides the answer only: buffered listeners do not get it. */
export function isSupplement({ metadata }: Part, partTypes: PartTypeRegistry): boolean {
  return partTypes.get(metadata.partType)?.deliveryRules.buffered === 'drop'
}

export interface ResultOptions {
  /** The call's own message, where the turn is another one. */
  readonly unanswered?: CallMessage | undefined
  /** What a client shows that shows surfaces; others get them in words only. */
  readonly hasSurfaces?: ShownSurfaces | false | undefined
}

/**
 * What a turn has come to as the result of the conversational tool: its envelope whole as data, and part by part as
 * content.
 */
export async function answerResult(
  { envelope, pending: pendingApprovals, decisions = [] }: Pick<TurnOutcome, 'envelope' | 'pending' | 'decisions'>,
  { conversationId, session, principal }: Conversation,
  context: AnswerContext,
  { unanswered, hasSurfaces = false }: ResultOptions = {},
): Promise<CallToolResult> {
  const { artifactLink, partTypes, uris, hasArtifacts } = context
  // Who the caller is here, and the log's own ids, are of no use to it.
  const { eventId: _, originatorId: __, ...meta } = envelope.meta
  const { role, parts: all } = envelope
  const shown = all.filter((part) => !isSupplement(part, partTypes))
  const parts = await linkedParts(shown, artifactLink && ((id) => artifactLink(id, session, principal)))
  const place = { uris, hasArtifacts, partTypes, hasSurfaces, conversationId, turnId: meta.turnId }
  const pending = pendingApprovals.length > 0 && { pendingApprovals }
  const made = decisions.length > 0 && { decisions }
  const given = parts.flatMap((part) => structuredPart(part, place) ?? [])
  const isCancelled = meta.finalizedBy === 'cancelled'
  const messageState = unanswered && { message: unanswered === 'notTaken' ? unanswered : 'waiting' }
  return {
    content: [
      ...(isCancelled ? [cancelledBlock] : []),
      ...contentBlocks(shown, place),
      advice(conversationId, pendingApprovals, context, unanswered),
    ],
    structuredContent: { conversationId, role, parts: given, meta, ...pending, ...made, ...messageState },
    ...((meta.turnState === 'error' || isCancelled) && { isError: true }),
  }
}

/** What a model needs to know to go on; many clients show it nothing of the structured result. */
function advice(
  conversationId: string,
  pending: readonly string[],
  { resumeTool, uris }: AnswerContext,
  unanswered: CallMessage | undefined,
) {
  const lines = pending.map(
    (id) => `Once the user has decided, call ${resumeTool} with approvalId "${id}" and their decision.`,
  )
  if (unanswered === 'notTaken') {
    lines.push('Your message was not taken, because an approval was open. Once that is decided, send it again.')
  } else if (unanswered !== undefined) {
    lines.push(`Your message waits for that decision. Its answer will be in ${uris.conversation(conversationId)}.`)
  }
  const text = [...lines, `To go on with this conversation, pass conversationId "${conversationId}".`].join('\n')
  return { type: 'text' as const, text, annotations: { audience: ['assistant' as const] } }
}

interface BlockContext {
  readonly conversationId: string
  readonly turnId: string
  readonly uris: ResourceUris
  /** True when artifacts can be read from this server. */
  readonly hasArtifacts: boolean
  readonly hasSurfaces: ShownSurfaces | false
  readonly partTypes: PartTypeRegistry
}

const everyAudience = { audience: ['user', 'assistant'] as ('user' | 'assistant')[] }
const models = { audience: ['assistant'] as 'assistant'[] }
const people = { audience: ['user'] as 'user'[] }

const cancelledBlock: ContentBlock = {
  type: 'text',
  text: 'This was cancelled before the agent had finished. What it had said until then stands below.',
  annotations: everyAudience,
}

/** The parts as blocks of a tool's result, for clients that read nothing else of it. */
function contentBlocks(parts: readonly Part[], place: BlockContext): ContentBlock[] {
  return parts.flatMap((part, index) => blockOf(part, index, place) ?? [])
}

function blockOf(part: Part, index: number, place: BlockContext): ContentBlock | ContentBlock[] | undefined {
  switch (part.metadata.partType) {
    case 'llm-context':
      return part.text === undefined ? undefined : { type: 'text', text: part.text, annotations: models }
    case 'domain-data':
      return { type: 'text', text: JSON.stringify(part.data) ?? 'null', annotations: models }
    case 'a2ui-surface':
      return surfaceBlocks(part, index, place)
    case 'artifact':
      return artifactBlock(part, place)
    case 'approval-request': {
      const asked = askedApproval(part)
      return asked && { type: 'text', text: approvalQuestion(asked), annotations: everyAudience }
    }
    default: {
      const text = place.partTypes.get(part.metadata.partType)?.toText?.(part) ?? part.text
      return text === undefined || text === '' ? undefined : { type: 'text', text, annotations: everyAudience }
    }
  }
}

function isShown(part: Part, shown: ShownSurfaces | false): boolean {
  return shown !== false && knowsCatalogs(part, shown)
}

/**
 * A part of the structured result. A surface is in words for a client that shows only others; one that shows none has its
 * words as content.
 */
function structuredPart(part: Part, { hasSurfaces, partTypes }: BlockContext): Part | undefined {
  const { metadata } = part
  if (metadata.partType !== 'a2ui-surface' || isShown(part, hasSurfaces)) return part
  const text = hasSurfaces === false ? undefined : surfaceText(part, partTypes)
  return text === undefined ? undefined : { text, metadata }
}

/** What a surface shows, in words; the request for an approval says itself what its surface shows. */
function surfaceText(part: Part, partTypes: PartTypeRegistry): string | undefined {
  const isRequest = surfaceIds(readA2uiMessages(part.data) ?? []).some((id) => id.startsWith(approvalSurfacePrefix))
  return isRequest ? undefined : partTypes.get(part.metadata.partType)?.toText?.(part)
}

/** A surface for clients that can show it, and in words for all others. */
function surfaceBlocks(part: Part, index: number, place: BlockContext): ContentBlock[] {
  const { conversationId, turnId, uris, partTypes, hasSurfaces } = place
  const messages = readA2uiMessages(part.data)
  // A surface that is no A2UI stays in the structured result, for its author.
  if (messages === undefined) return []
  const uri = uris.surface(conversationId, turnId, index)
  const resource = { uri, mimeType: 'application/a2ui+json', text: JSON.stringify(messages) }
  const text = surfaceText(part, partTypes)
  const words: ContentBlock[] = text === undefined ? [] : [{ type: 'text', text, annotations: people }]
  return isShown(part, hasSurfaces) ? [{ type: 'resource', resource, annotations: people }, ...words] : words
}

function artifactBlock(part: Part, { conversationId, uris, hasArtifacts }: BlockContext): ContentBlock | undefined {
  const artifact = artifactSchema.safeParse(part.data)
  if (!artifact.success) return undefined
  const { artifactId, mimeType, sizeBytes: size, url } = artifact.data
  // A file with an address of its own is elsewhere, such as with a peer, and cannot be read from this server.
  const isElsewhere = url !== undefined && /^https?:/i.test(url)
  const isHere = hasArtifacts && artifactId !== undefined && !isElsewhere
  const uri = isHere ? uris.artifact(conversationId, artifactId) : url
  if (uri === undefined) return undefined
  const name = artifactName(artifact.data)
  return defined({ type: 'resource_link' as const, uri, name, mimeType, size, annotations: everyAudience })
}
