import {
  BeachError,
  type ErrorCode,
  type Originator,
  type Part,
  type PartTypeRegistry,
  type Principal,
  type Sessions,
} from '@cool-ai/beach-core'
import type { Decided, Taken } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import { parsePart } from '@cool-ai/beach-protocol/parts'
import { z } from 'zod'
import { actorsOnly } from '../messages/message-parts.ts'

/** Who calls, and on which session. */
export interface Call {
  readonly session: string
  readonly principal: Principal
  readonly from: Originator
}

const cancelBody = z.strictObject({ turnId: z.string().max(100).optional() })
const decisionBody = z.strictObject({
  decision: z.enum(['granted', 'denied']),
  reason: z.string().max(2_000).optional(),
  args: z.record(z.string(), z.unknown()).optional(),
  allow: z.strictObject({ upTo: z.number().positive().optional() }).optional(),
})
const idempotencyKey = /^[\x21-\x7e]{1,200}$/

const partBody = z
  .strictObject({
    text: z.string().min(1, 'must not be empty').optional(),
    data: z.unknown().optional(),
    metadata: z.looseObject({ partType: z.string().min(1).max(200).optional() }).optional(),
  })
  .refine((part) => (part.text === undefined) !== (part.data === undefined), 'needs either `text` or `data`')

const messageBody = z
  .strictObject({
    text: z.string().trim().min(1, 'must not be empty').optional(),
    parts: z.array(partBody).min(1).max(100).optional(),
  })
  .refine((body) => (body.text === undefined) !== (body.parts === undefined), 'needs either `text` or `parts`')

/** The parts of a posted message. A person's part is of type `message` unless it names another. */
function parseMessage(body: unknown): Part[] {
  const result = messageBody.safeParse(body ?? {})
  if (!result.success) {
    const problems = result.error.issues.map((issue) => `${['body', ...issue.path].join('.')}: ${issue.message}`)
    throw new BeachError('BAD_REQUEST', `This is not a message. ${problems.join('; ')}.`)
  }
  const { text, parts } = result.data
  if (text !== undefined) return [{ text, metadata: { partType: 'message' } }]
  return (parts ?? []).map(({ metadata, ...content }) =>
    defined({ ...content, metadata: { ...metadata, partType: metadata?.partType ?? 'message' } }),
  )
}

/** Parts that a caller gives in their own form, besides what its protocol has for messages. */
export function inboundParts(given: unknown, partTypes: PartTypeRegistry): Part[] {
  return parseMessage({ parts: given }).map((part) => inboundPart(part, partTypes))
}

/** A part from outside must be of a registered type that people may send. */
function inboundPart(part: Part, partTypes: PartTypeRegistry): Part {
  // Who has decided, and when, is not for the caller to say: the router reads the decision, and checks it.
  if (part.metadata.partType === 'message' || part.metadata.partType === 'approval-response') return part
  const parsed = parsePart(part, partTypes)
  const { partType } = parsed.metadata
  if (refused.has(partType)) {
    throw new BeachError('INVALID_PART', `A part of type '${partType}' cannot be sent as a message.`)
  }
  return parsed
}

/** What callers can do with a session, checked the same however the request came. */
export class SessionCalls {
  readonly #sessions: Sessions
  readonly #partTypes: PartTypeRegistry

  constructor(sessions: Sessions, partTypes: PartTypeRegistry) {
    this.#sessions = sessions
    this.#partTypes = partTypes
  }

  /** Sends a message; two with the same key are one, on whichever channel they came. */
  async send({ session, principal, from }: Call, body: () => Promise<unknown>, key?: string): Promise<Taken> {
    await this.#sessions.checkAccess(session, principal)
    const parts = parseMessage(await body()).map((part) => inboundPart(part, this.#partTypes))
    if (key !== undefined && !idempotencyKey.test(key)) {
      throw new BeachError('BAD_REQUEST', 'An idempotency key has 1 to 200 visible ASCII characters.')
    }
    const message = { parts, from, dedupeKey: key && `http:${key}` }
    return this.#sessions.take(session, message, principal)
  }

  async decide({ session, principal, from }: Call, approvalId: string, body: unknown): Promise<{ status: 'decided' }> {
    const parsed = decisionBody.safeParse(body)
    if (!parsed.success) {
      throw new BeachError(
        'BAD_REQUEST',
        'An approval takes `decision`, "granted" or "denied", an optional `reason`, `args`, the changed arguments, and `allow`, { upTo }, for the rest of the session.',
      )
    }
    const decision = { ...parsed.data, via: from.transport }
    requireDecided(await this.#sessions.decide(approvalId, decision, principal, session))
    return { status: 'decided' }
  }

  async cancel({ session, principal }: Call, body: unknown): Promise<{ cancelled: boolean }> {
    const parsed = cancelBody.safeParse(body ?? {})
    if (!parsed.success) throw new BeachError('BAD_REQUEST', 'A cancel takes an optional `turnId` and nothing else.')
    return { cancelled: await this.#sessions.cancel(session, parsed.data.turnId, principal) }
  }
}

/** Part types that people may not send: those of actors only, and those that move the state of a session. */
const refused: ReadonlySet<string> = new Set([...actorsOnly, 'setState'])

const undecided: Readonly<Partial<Record<Decided, [ErrorCode, string]>>> = {
  already: ['ALREADY_DECIDED', 'This approval has already been decided, or its turn is over.'],
  expired: ['EXPIRED', 'This approval has expired; it counts as denied.'],
  notFound: ['NOT_FOUND', 'There is no such approval, or it is not yours to decide.'],
}

/** The reply to the sender; a decision that does not count is an error that says why. */
export function takenBody(taken: Taken): unknown {
  switch (taken.kind) {
    case 'posted':
      return taken.posted
    case 'handled':
      return { heard: taken.reply.answer, seq: taken.reply.seq }
    case 'decided':
      requireDecided(taken.decided)
      return { status: 'decided', ...taken.answer }
  }
}

/** Throws why an approval cannot be decided any more. */
export function requireDecided(decided: Decided): void {
  const problem = undecided[decided]
  if (problem !== undefined) throw new BeachError(...problem)
}
