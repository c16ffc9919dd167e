import { Role, type Message as A2aMessage, type Part as A2aPart, type SendMessageRequest } from '@a2a-js/sdk'
import { actorsOnly } from '@cool-ai/beach-channel'
import { BeachError, type Part, type PartTypeRegistry } from '@cool-ai/beach-core'
import type { ApprovalAnswer } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import { approvalAnswerSchema, partProblems } from '@cool-ai/beach-protocol'
import { markOf, type A2aMark } from './a2a-mark.ts'
import { maxIdLength } from './params-check.ts'
import { sentFormOf } from './sent-part.ts'

/** A message as it goes into a session: its parts, and the decision that it holds. */
export interface InboundMessage {
  readonly parts: readonly Part[]
  readonly answer?: ApprovalAnswer | undefined
}

const maxParts = 100
const a2uiMediaTypes: ReadonlySet<string> = new Set(['application/json+a2ui', 'application/a2ui+json'])

/**
 * The parts of a message from outside. A part keeps its type when that is registered and not reserved to actors, and
 * the part is right for it; all else is a `message` part. An approval response is never a part: only `decide` takes it.
 */
export function inboundParts(message: A2aMessage, mark: A2aMark, partTypes: PartTypeRegistry): InboundMessage {
  if (message.parts.length === 0 || message.parts.length > maxParts) {
    throw new BeachError('BAD_REQUEST', `A message needs 1 to ${maxParts} parts.`)
  }
  const answers: ApprovalAnswer[] = []
  const parts = message.parts.flatMap((given) => {
    const actions = actionsIn(given, message.metadata)
    if (actions !== undefined) {
      const marked = defined({ ...mark, sent: sentFormOf(given, true) })
      return actions.map((action) => checkedPart(action, marked, partTypes))
    }
    if (given.metadata?.partType !== 'approval-response') return [inboundPart(given, mark, partTypes)]
    answers.push(answerOf(given))
    return []
  })
  const [answer, second] = answers
  if (second !== undefined) throw new BeachError('BAD_REQUEST', 'A message can hold one approval response only.')
  // A message of which nothing is shown, such as a proposed state, is a message all the same, and must be found again.
  const isSilent = answer === undefined && parts.every((part) => isUnseen(part, partTypes))
  const all = isSilent ? [...parts, { text: '', metadata: { partType: 'message', a2a: mark } }] : parts
  return { parts: all, answer }
}

const unseen: ReadonlySet<string> = new Set(['drop', 'audit-only', 'inbound-only'])

function isUnseen({ metadata: { partType } }: Part, partTypes: PartTypeRegistry): boolean {
  if (partType === 'message' || partType === 'a2ui-action') return false
  return partType === 'setState' || unseen.has(partTypes.get(partType)?.deliveryRules.streaming ?? 'drop')
}

function answerOf({ content }: A2aPart): ApprovalAnswer {
  const result = approvalAnswerSchema.safeParse(content?.$case === 'data' ? content.value : undefined)
  if (result.success) return result.data
  throw new BeachError(
    'BAD_REQUEST',
    'An approval response is a data part with `approvalId` and `decision`, "granted" or "denied".',
  )
}

/**
 * The decision that a message is by the shape of its only part, `{ approvalId, decision }`: stock clients of 0.3 by
 * HTTP+JSON drop the metadata that would name it one. It counts only where the task has asked for that approval.
 */
export function decisionByShape(
  { parts, answer }: InboundMessage,
  isAsked: (approvalId: string) => boolean,
): ApprovalAnswer | undefined {
  const [part, ...more] = parts
  const { partType, sent } = part === undefined ? {} : (markOf(part) ?? {})
  const isNamed = partType !== undefined || sent?.partType !== undefined || part?.metadata.partType !== 'message'
  if (answer !== undefined || isNamed || more.length > 0) return undefined
  const result = approvalAnswerSchema.safeParse(part.data)
  return result.success && isAsked(result.data.approvalId) ? result.data : undefined
}

function inboundPart(given: A2aPart, mark: A2aMark, partTypes: PartTypeRegistry): Part {
  const { partType: named, a2a: _, ...rest } = given.metadata ?? {}
  const content = contentOf(given)
  const own = typeof named === 'string' && named !== 'message' ? named : undefined
  const marked = defined({ ...mark, sent: sentFormOf(given) })
  const isOurs = own !== undefined && (actorsOnly.has(own) || partTypes.get(own)?.saidBy === 'tools')
  if (own !== undefined && !isOurs && partTypes.has(own)) {
    return checkedPart({ ...content, metadata: { ...rest, partType: own } }, marked, partTypes)
  }
  return { ...content, metadata: { ...rest, partType: 'message', a2a: defined({ ...marked, partType: own }) } }
}

function checkedPart({ metadata, ...content }: Part, mark: A2aMark, partTypes: PartTypeRegistry): Part {
  const part = { ...content, metadata: { ...metadata, a2a: mark } }
  const problems = partProblems(part, partTypes)
  if (problems.length > 0) throw new BeachError('INVALID_PART', problems.join(' '))
  return part
}

/** What a client of A2UI's own extension sends: messages of its media type, with its data in the message's metadata. */
function actionsIn({ content, metadata, mediaType }: A2aPart, about: A2aMessage['metadata']): Part[] | undefined {
  const isNamed = metadata?.partType !== undefined
  const type = typeof metadata?.mimeType === 'string' ? metadata.mimeType : mediaType
  if (isNamed || content?.$case !== 'data' || !a2uiMediaTypes.has(type)) return undefined
  const messages: unknown[] = Array.isArray(content.value) ? content.value : [content.value]
  const { a2uiClientDataModel } = about ?? {}
  const model = a2uiClientDataModel === undefined ? {} : { a2uiClientDataModel }
  return messages.map((data) => ({ data, metadata: { partType: 'a2ui-action', ...model } }))
}

/** The content of a part in the form that it has here. */
export function contentOf({ content, filename, mediaType }: A2aPart): Pick<Part, 'text' | 'data'> {
  const file = defined({ filename: filename || undefined, mediaType: mediaType || undefined })
  switch (content?.$case) {
    case 'text':
      return { text: content.value }
    case 'data':
      return { data: content.value as unknown }
    case 'url':
      return { data: { url: content.value, ...file } }
    case 'raw':
      return { data: { raw: content.value.toString('base64'), ...file } }
    default:
      throw new BeachError('BAD_REQUEST', 'Each part needs exactly one of `text`, `raw`, `url` and `data`.')
  }
}

/** The message of a request, which must have an id and come from the caller. */
export function messageOf({ message }: SendMessageRequest): A2aMessage {
  if (message === undefined) throw new BeachError('BAD_REQUEST', 'The request has no `message`.')
  const { messageId, role } = message
  if (messageId === '' || messageId.length > maxIdLength) {
    throw new BeachError('BAD_REQUEST', `A message needs a messageId of at most ${maxIdLength} characters.`)
  }
  if (role !== Role.ROLE_USER) {
    throw new BeachError('BAD_REQUEST', 'The role of a message must be that of a user, since it comes from the caller.')
  }
  return message
}
