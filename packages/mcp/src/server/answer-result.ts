import { linkedParts, type ArtifactLinkOf } from '@cool-ai/beach-channel'
import type { ArtifactStore, Envelope, Part, PartTypeRegistry } from '@cool-ai/beach-core'
import type { CallToolResult } from '@modelcontextprotocol/server'
import { askToolName } from './ask-tool-name.ts'
import { contentBlocks } from './content-blocks.ts'
import type { Conversation } from './conversations.ts'
import { ResourceUris } from './resource-uri.ts'

export interface AnswerContext {
  readonly uris: ResourceUris
  readonly partTypes: PartTypeRegistry
  readonly hasArtifacts: boolean
  readonly artifactLink?: ArtifactLinkOf | undefined
  /** The name of the tool that decides an approval. */
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

/** True for what goes to MCP callers beside the answer only: buffered listeners do not get it. */
export function isSupplement({ metadata }: Part, partTypes: PartTypeRegistry): boolean {
  return partTypes.get(metadata.partType)?.deliveryRules.buffered === 'drop'
}

/** An envelope as the result of the conversational tool: whole as data, and part by part as content. */
export async function answerResult(
  { role, parts: all, meta }: Envelope,
  { conversationId, session, principal }: Conversation,
  pendingApprovals: readonly string[],
  context: AnswerContext,
): Promise<CallToolResult> {
  const { artifactLink, partTypes, uris, hasArtifacts } = context
  const shown = all.filter((part) => !isSupplement(part, partTypes))
  const parts = await linkedParts(shown, artifactLink && ((id) => artifactLink(id, session, principal)))
  const place = { uris, hasArtifacts, partTypes, conversationId, turnId: meta.turnId }
  const pending = pendingApprovals.length > 0 && { pendingApprovals }
  return {
    content: [...contentBlocks(parts, place), advice(conversationId, pendingApprovals, context)],
    structuredContent: { conversationId, role, parts, meta, ...pending },
    ...(meta.turnState === 'error' && { isError: true }),
  }
}

/** What a model needs to know to go on; many clients show it nothing of the structured result. */
function advice(conversationId: string, pending: readonly string[], { resumeTool }: AnswerContext) {
  const lines = pending.map(
    (id) => `Once the user has decided, call ${resumeTool} with approvalId "${id}" and their decision.`,
  )
  const text = [...lines, `To go on with this conversation, pass conversationId "${conversationId}".`].join('\n')
  return { type: 'text' as const, text, annotations: { audience: ['assistant' as const] } }
}
