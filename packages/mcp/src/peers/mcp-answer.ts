import {
  answerState,
  envelopeMeta,
  jsonPart,
  type CallLimits,
  type CallResult,
  type IsOver,
  type PartDefaults,
} from '@cool-ai/beach-channel/peers'
import type { Part } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import { approvalRequestSchema } from '@cool-ai/beach-protocol'
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client'
import * as z from 'zod'

/** What a Beach agent's conversational tool gives. */
const answerShape = z.looseObject({
  conversationId: z.string().min(1).max(4_000),
  parts: z.array(z.looseObject({})),
  meta: z.looseObject({ turnState: z.string().exactOptional(), finalizedBy: z.string().exactOptional() }),
  pendingApprovals: z.array(z.string()).exactOptional(),
})

/** A peer's answer by MCP, as one by A2A would be: an envelope where it is one, else its content part by part. */
export function mcpAnswer(peer: string, result: CallToolResult, limits: CallLimits, isOver: IsOver): CallResult {
  const { content, structuredContent, isError } = result
  const place = (id: string): PartDefaults => ({ id, text: 'response', origin: { peer }, depth: limits.depth })
  const answer = answerShape.safeParse(structuredContent)
  if (!answer.success) {
    const parts = [
      ...content.slice(0, limits.parts).map((block, index) => contentPart(block, isError === true, place(`${index}`))),
      ...(structuredContent === undefined ? [] : [jsonPart({ data: structuredContent }, place('structured'))]),
    ].flatMap((part) => part ?? [])
    return { peer, state: isError === true ? 'error' : 'complete', parts, approvals: [] }
  }
  const { conversationId, parts: given, meta, pendingApprovals = [] } = answer.data
  const parts = given.slice(0, limits.parts).flatMap((part, index) => jsonPart(part, place(`${index}`)) ?? [])
  const said = envelopeMeta(meta)
  return {
    peer,
    state: stateOf(answer.data, isOver),
    parts,
    approvals: parts.flatMap((part) => requestIn(part, pendingApprovals)),
    contextId: conversationId,
    meta: said,
  }
}

function stateOf({ meta, pendingApprovals = [] }: z.infer<typeof answerShape>, isOver: IsOver): CallResult['state'] {
  if (pendingApprovals.length > 0) return 'suspended'
  return meta.finalizedBy === 'cancelled' ? 'cancelled' : answerState(meta.turnState, isOver)
}

function requestIn({ data, metadata }: Part, pending: readonly string[]) {
  if (metadata.partType !== 'approval-request') return []
  const request = approvalRequestSchema.safeParse(data)
  return request.success && pending.includes(request.data.approvalId) ? [request.data] : []
}

function contentPart(block: ContentBlock, isError: boolean, place: PartDefaults): Part | undefined {
  const { annotations } = block
  switch (block.type) {
    case 'text': {
      const forModels = annotations?.audience?.includes('user') === false
      return jsonPart(
        { text: block.text },
        { ...place, text: isError ? 'error' : forModels ? 'llm-context' : 'response' },
      )
    }
    case 'resource_link': {
      const { name, uri: url, mimeType = unknownType, size: sizeBytes } = block
      const data = defined({ artifactId: place.id, name, url, mimeType, sizeBytes })
      return jsonPart({ data, metadata: { partType: 'artifact' } }, place)
    }
    case 'image':
    case 'audio': {
      const { data: bytes, mimeType } = block
      const file = { artifactId: place.id, mimeType, sizeBytes: Math.floor((bytes.length * 3) / 4), bytes }
      return jsonPart({ data: file, metadata: { partType: 'artifact' } }, place)
    }
    case 'resource':
      return 'text' in block.resource ? jsonPart({ text: block.resource.text }, place) : undefined
  }
}

const unknownType = 'application/octet-stream'
