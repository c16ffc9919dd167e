import type { Message as A2aMessage, Part as A2aPart } from '@a2a-js/sdk'
import { BeachError, type Part, type PartTypeRegistry } from '@cool-ai/beach-core'
import { partProblems } from '@cool-ai/beach-protocol'
import * as z from 'zod'
import type { A2aMark } from './a2a-mark.ts'
import { actorsOnly } from '../actors-only.ts'

/** Somebody's answer to an approval request, as it came in a message. */
export interface ApprovalAnswer {
  readonly approvalId: string
  readonly decision: 'granted' | 'denied'
  readonly reason?: string
}

/** A message as it goes into a session: its parts, and the decision that it holds. */
export interface InboundMessage {
  readonly parts: readonly Part[]
  readonly answer?: ApprovalAnswer
}

const mostParts = 100
const answerSchema = z.object({
  approvalId: z.string().min(1).max(300),
  decision: z.enum(['granted', 'denied']),
  reason: z.string().max(2_000).exactOptional(),
})

/**
 * The parts of a message from outside. A part keeps its type when that is registered and not reserved to actors, and
 * the part is right for it; all else is a `message` part. An approval response is never a part: only `decide` takes it.
 */
export function inboundParts(message: A2aMessage, mark: A2aMark, partTypes: PartTypeRegistry): InboundMessage {
  if (message.parts.length === 0 || message.parts.length > mostParts) {
    throw new BeachError('BAD_REQUEST', `A message needs 1 to ${mostParts} parts.`)
  }
  const answers: ApprovalAnswer[] = []
  const parts = message.parts.flatMap((given) => {
    if (given.metadata?.partType !== 'approval-response') return [inboundPart(given, mark, partTypes)]
    answers.push(answerOf(given))
    return []
  })
  const [answer, second] = answers
  if (second !== undefined) throw new BeachError('BAD_REQUEST', 'A message can hold one approval response only.')
  // A message that only proposes a state is a message all the same, and must be found again.
  const isSilent = answer === undefined && parts.every((part) => part.metadata.partType === 'setState')
  const all = isSilent ? [...parts, { text: '', metadata: { partType: 'message', a2a: mark } }] : parts
  return { parts: all, ...(answer && { answer }) }
}

function answerOf({ content }: A2aPart): ApprovalAnswer {
  const result = answerSchema.safeParse(content?.$case === 'data' ? content.value : undefined)
  if (result.success) return result.data
  throw new BeachError(
    'BAD_REQUEST',
    'An approval response is a data part with `approvalId` and `decision`, "granted" or "denied".',
  )
}

function inboundPart(given: A2aPart, mark: A2aMark, partTypes: PartTypeRegistry): Part {
  const { partType: named, a2a: _, ...rest } = given.metadata ?? {}
  const content = contentOf(given)
  const own = typeof named === 'string' && named !== 'message' ? named : undefined
  if (own !== undefined && !actorsOnly.has(own) && partTypes.has(own)) {
    const part = { ...content, metadata: { ...rest, partType: own, a2a: mark } }
    const problems = partProblems(part, partTypes)
    if (problems.length > 0) throw new BeachError('INVALID_PART', problems.join(' '))
    return part
  }
  const kept = own === undefined ? mark : { ...mark, partType: own }
  return { ...content, metadata: { ...rest, partType: 'message', a2a: kept } }
}

function contentOf({ content, filename, mediaType }: A2aPart): Pick<Part, 'text' | 'data'> {
  const file = { ...(filename !== '' && { filename }), ...(mediaType !== '' && { mediaType }) }
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
