import {
  BeachError,
  type Originator,
  type Part,
  type PartTypeRegistry,
  type Principal,
  type Sessions,
} from '@cool-ai/beach-core'
import type { Taken } from '@cool-ai/beach-core/ports'
import { parsePart } from '@cool-ai/beach-protocol'
import { z } from 'zod'
import { actorsOnly } from '../messages/actors-only.ts'
import { requireDecided } from '../messages/taken.ts'
import { parseMessage } from './message-body.ts'

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
})
const idempotencyKey = /^[\x21-\x7e]{1,200}$/

/** What callers can do with a session, checked the same however the request came. */
export class SessionCalls {
  readonly #sessions: Sessions
  readonly #partTypes: PartTypeRegistry

  constructor(sessions: Sessions, partTypes: PartTypeRegistry) {
    this.#sessions = sessions
    this.#partTypes = partTypes
  }

  /** Sends a message; two with the same key are one, whichever way they came. */
  async send({ session, principal, from }: Call, body: () => Promise<unknown>, key?: string): Promise<Taken> {
    await this.#sessions.checkAccess(session, principal)
    const parts = parseMessage(await body()).map((part) =>
      part.metadata.partType === 'message' ? part : this.#inbound(part),
    )
    if (key !== undefined && !idempotencyKey.test(key)) {
      throw new BeachError('BAD_REQUEST', 'An idempotency key has 1 to 200 visible ASCII characters.')
    }
    const message = { parts, from, ...(key !== undefined && { dedupeKey: `http:${key}` }) }
    return this.#sessions.take(session, message, principal)
  }

  async decide({ session, principal }: Call, approvalId: string, body: unknown): Promise<{ status: 'decided' }> {
    const parsed = decisionBody.safeParse(body)
    if (!parsed.success) {
      throw new BeachError(
        'BAD_REQUEST',
        'An approval takes `decision`, "granted" or "denied", and an optional `reason`.',
      )
    }
    const { decision, reason } = parsed.data
    const made = { decision, ...(reason !== undefined && { reason }) }
    requireDecided(await this.#sessions.decide(approvalId, made, principal, session))
    return { status: 'decided' }
  }

  async cancel({ session, principal }: Call, body: unknown): Promise<{ cancelled: boolean }> {
    const parsed = cancelBody.safeParse(body ?? {})
    if (!parsed.success) throw new BeachError('BAD_REQUEST', 'To cancel takes an optional `turnId` and nothing else.')
    return { cancelled: await this.#sessions.cancel(session, parsed.data.turnId, principal) }
  }

  /** A part from outside must be of a registered type that people may send. */
  #inbound(part: Part): Part {
    const parsed = parsePart(part, this.#partTypes)
    const { partType } = parsed.metadata
    if (refused.has(partType)) {
      throw new BeachError('INVALID_PART', `A part of type '${partType}' does not come in as a message.`)
    }
    return parsed
  }
}

/** What people may not send: what only actors say, and what has a endpoint of its own. */
const refused: ReadonlySet<string> = new Set([...actorsOnly, 'approval-response', 'setState'])
