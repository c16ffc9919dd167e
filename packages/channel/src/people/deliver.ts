import { createHash } from 'node:crypto'
import type { Clock, SendOutcome } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import type { PersonLog } from './person-log.ts'
import type { AskPut, PersonState } from './person-state.ts'
import type { OfferedList } from './choices.ts'

/** The outcome of one message. `closed` is for channels on which not everything can be sent at any time. */
export type Transmitted =
  | { readonly status: 'sent'; readonly messageId: string }
  | {
      readonly status: 'failed' | 'refused' | 'closed'
      readonly reason: string
      /** True when it may have been sent nevertheless: the connection broke before there was an answer. */
      readonly isUncertain?: boolean
    }

/** The outcome of a push. */
export type Delivered = SendOutcome | { readonly status: 'closed'; readonly reason: string }

/** One message of a push. */
export interface Transmission {
  /** Its name among the messages of its push, the same for each attempt. */
  readonly name: string
  /** The request that it contains. */
  readonly ask?: AskPut | undefined
  /** `triedAt` is the time of the first try, if its outcome is unknown. */
  readonly transmit: (mark: string, triedAt: number | undefined) => Promise<Transmitted>
}

/** A push to a person, as the record of it has it. */
export interface DeliveredPush {
  readonly person: string
  readonly key: string
  readonly session?: string | undefined
  /** What can be chosen in it. */
  readonly list?: OfferedList | undefined
  readonly clock: Clock
}

/** A mark for a message of a push: the same for each attempt, and of no use to its reader. */
function markOf(key: string, name: string): string {
  return `${digestOf(key)}.${name}`
}

function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, 32)
}

/** The id of a message of a push, if it is known that it was sent. */
export function sentAs({ progress }: PersonState, mark: string): string | undefined {
  const read = readMark(mark)
  const sent = progress.find(({ key }) => key === read?.key)?.sent ?? {}
  return read !== undefined && Object.hasOwn(sent, read.name) ? sent[read.name] : undefined
}

/** True when messages of this kind were sent for a push, or may have been: then it goes on with that kind. */
export function isBegun({ progress }: PersonState, pushKey: string, kind: string): boolean {
  const { sent = {}, trying } = progress.find(({ key }) => key === digestOf(pushKey)) ?? {}
  return [...Object.keys(sent), ...(trying ? [trying.name] : [])].some((name) => name.startsWith(kind))
}

/** The push and the message that a mark is of. */
export function readMark(mark: string): { readonly key: string; readonly name: string } | undefined {
  const [, key, name] = /^([\w-]{32})\.(\w{1,20})$/.exec(mark) ?? []
  return key === undefined || name === undefined ? undefined : { key, name }
}

/**
 * Sends the messages of a push in their order, without those that an earlier attempt has sent. A message is recorded as
 * tried before it is sent, and as sent right after: only a crash in between can send it twice.
 */
export async function deliver(
  people: PersonLog,
  { person, key, session, list, clock }: DeliveredPush,
  transmissions: readonly Transmission[],
): Promise<Delivered> {
  const push = digestOf(key)
  let externalId: string | undefined
  for (const { name, ask, transmit } of transmissions) {
    const before = (await people.load(person)).progress.find((entry) => entry.key === push)
    const done = before !== undefined && Object.hasOwn(before.sent, name) ? before.sent[name] : undefined
    if (done !== undefined) {
      externalId = done
      continue
    }
    const triedAt = before?.trying?.name === name ? before.trying.at : undefined
    const trying = defined({ type: 'trying' as const, key: push, name, at: clock.now(), session, ask, list })
    await people.commit(person, () => [trying])
    const outcome = await transmit(markOf(key, name), triedAt)
    if (outcome.status !== 'sent') {
      const { status, reason, isUncertain } = outcome
      if (isUncertain !== true) await people.commit(person, () => [{ type: 'notSent', key: push, name }])
      return { status, reason }
    }
    const { messageId } = outcome
    externalId = messageId
    await people.commit(person, () => [{ type: 'sent', key: push, name, messageId }])
  }
  return { status: 'sent', externalId }
}
