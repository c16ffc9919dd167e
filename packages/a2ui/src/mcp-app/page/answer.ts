import { isPlainObject, own } from '../../plain.ts'
import type { SurfacePart } from '../../renderer/read-part.ts'
import type { ToolResult } from './host.ts'

/** What the agent answered, as far as it is shown here. */
export interface Answer {
  readonly conversationId: string | undefined
  readonly surfaces: readonly SurfacePart[]
  /** What it said in words. */
  readonly texts: readonly string[]
  /** What went wrong. */
  readonly problem: string | undefined
}

const spoken = new Set(['response', 'clarify', 'error'])

/** Reads the result of the conversational tool: an envelope as data, and the same in words. */
export function answerOf({ structuredContent, content = [], isError }: ToolResult): Answer {
  const envelope = isPlainObject(structuredContent) ? structuredContent : {}
  const given = own(envelope, 'parts')
  const parts = Array.isArray(given) ? given.filter(isPlainObject) : []
  const conversationId = own(envelope, 'conversationId')
  const texts = parts.flatMap((part) => {
    const { text } = part
    return spoken.has(typeOf(part)) && typeof text === 'string' && text !== '' ? [text] : []
  })
  const words = content.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : []))
  return {
    conversationId: typeof conversationId === 'string' ? conversationId : undefined,
    surfaces: parts.filter((part) => typeOf(part) === 'a2ui-surface'),
    texts,
    problem: isError === true ? (texts.length > 0 ? texts : words).join('\n') || 'That did not work.' : undefined,
  }
}

function typeOf(part: Readonly<Record<string, unknown>>): string {
  const { metadata } = part
  return isPlainObject(metadata) && typeof metadata.partType === 'string' ? metadata.partType : ''
}
