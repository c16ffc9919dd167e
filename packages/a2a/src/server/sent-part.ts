import type { Part as A2aPart } from '@a2a-js/sdk'
import type { Part } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import { isObject } from '@cool-ai/beach-protocol/json-schema'
import { markOf, type SentForm } from './a2a-mark.ts'

type Content = NonNullable<A2aPart['content']>

/** What has to be remembered of a part that comes in, besides its content; undefined when that is all. */
export function sentFormOf(
  { content, mediaType, filename, metadata }: A2aPart,
  isAction = false,
): SentForm | undefined {
  const { mimeType, partType } = metadata ?? {}
  const form: SentForm = defined({
    content: content?.$case === 'raw' || content?.$case === 'url' ? content.$case : undefined,
    mediaType: mediaType || undefined,
    filename: filename || undefined,
    partType: partType === 'message' ? partType : undefined,
    action: isAction ? defined({ mimeType: typeof mimeType === 'string' ? mimeType : undefined }) : undefined,
  })
  return Object.keys(form).length === 0 ? undefined : form
}

/** A part of a caller's message as it was sent; one from before its form was remembered, as text or data. */
export function sentPart(part: Part): A2aPart {
  const { partType, sent = {} } = markOf(part) ?? {}
  const { partType: type } = part.metadata
  const rest = asSent(part)
  const named = partType ?? (type === 'message' ? sent.partType : type)
  const metadata = sent.action ?? { ...defined({ partType: named }), ...rest }
  return {
    content: contentOf(part, sent),
    metadata: Object.keys(metadata).length === 0 ? undefined : metadata,
    filename: sent.filename ?? '',
    mediaType: sent.mediaType ?? '',
  }
}

/** The metadata without what this agent has added: the mark and, for an action, its label and its peer. */
function asSent({ metadata }: Part): Readonly<Record<string, unknown>> {
  const { a2a: _, partType, ...sent } = metadata
  if (partType !== 'a2ui-action') return sent
  const { label: __, to: ___, ...action } = sent
  return action
}

function contentOf({ text, data }: Part, { content }: SentForm): Content {
  if (text !== undefined) return { $case: 'text', value: text }
  const file: unknown = content !== undefined && isObject(data) ? data[content] : undefined
  if (typeof file !== 'string') return { $case: 'data', value: data }
  return content === 'raw' ? { $case: 'raw', value: Buffer.from(file, 'base64') } : { $case: 'url', value: file }
}
