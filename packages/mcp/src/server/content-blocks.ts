import type { Part, PartTypeRegistry } from '@cool-ai/beach-core'
import {
  a2uiMessages,
  approvalNotice,
  approvalQuestion,
  approvalRequestSchema,
  approvalSurfacePrefix,
  artifactSchema,
  surfaceIds,
  type A2uiMessage,
} from '@cool-ai/beach-protocol'
import type { ContentBlock } from '@modelcontextprotocol/server'
import type { ResourceUris } from './resource-uri.ts'

/** Where parts stand, for the URIs of what is made of them. */
export interface BlockContext {
  readonly conversationId: string
  readonly turnId: string
  readonly uris: ResourceUris
  /** True when artifacts can be read from this server. */
  readonly hasArtifacts: boolean
  readonly partTypes: PartTypeRegistry
}

const everyAudience = { audience: ['user', 'assistant'] as ('user' | 'assistant')[] }
const models = { audience: ['assistant'] as 'assistant'[] }
const people = { audience: ['user'] as 'user'[] }

/** The parts as blocks of a tool's result, for clients that read nothing else of it. */
export function contentBlocks(parts: readonly Part[], place: BlockContext): ContentBlock[] {
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
      const request = approvalRequestSchema.safeParse(part.data)
      return request.success
        ? { type: 'text', text: approvalQuestion(request.data, approvalNotice(part)), annotations: everyAudience }
        : undefined
    }
    default: {
      const text = place.partTypes.get(part.metadata.partType)?.toText?.(part) ?? part.text
      return text === undefined || text === '' ? undefined : { type: 'text', text, annotations: everyAudience }
    }
  }
}

/** A surface for clients that can show it, and in words for all others. */
function surfaceBlocks(part: Part, index: number, place: BlockContext): ContentBlock[] {
  const { conversationId, turnId, uris, partTypes } = place
  const messages = messagesOf(part.data)
  if (messages === undefined) return []
  const uri = uris.surface(conversationId, turnId, index)
  const resource = { uri, mimeType: 'application/a2ui+json', text: JSON.stringify(messages) }
  // The request itself says in words what its surface shows.
  const isRequest = surfaceIds(messages).some((id) => id.startsWith(approvalSurfacePrefix))
  const text = isRequest ? undefined : partTypes.get(part.metadata.partType)?.toText?.(part)
  const words: ContentBlock[] = text === undefined ? [] : [{ type: 'text', text, annotations: people }]
  return [{ type: 'resource', resource, annotations: people }, ...words]
}

// A surface that is no A2UI stays in the structured result, for its author.
function messagesOf(data: unknown): readonly A2uiMessage[] | undefined {
  try {
    return a2uiMessages(data)
  } catch {
    return undefined
  }
}

function artifactBlock(part: Part, { conversationId, uris, hasArtifacts }: BlockContext): ContentBlock | undefined {
  const artifact = artifactSchema.safeParse(part.data)
  if (!artifact.success) return undefined
  const { artifactId, mimeType, sizeBytes: size, name = artifactId, url } = artifact.data
  const uri = hasArtifacts ? uris.artifact(conversationId, artifactId) : url
  return uri === undefined
    ? undefined
    : { type: 'resource_link', uri, name, mimeType, size, annotations: everyAudience }
}
