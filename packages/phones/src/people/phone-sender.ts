import {
  type AskDigest,
  type AskPut,
  type Block,
  blocksOf,
  deliver,
  type Delivered,
  type FileReader,
  type GatheredAsk,
  listOf,
  type OfferedList,
  shortened,
  type Transmitted,
} from '@cool-ai/beach-channel/people'
import type { Envelope, Originator, SendOutcome } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import { askedApproval, type AskedApproval } from '@cool-ai/beach-protocol'
import type { Known } from './correspondents.ts'
import type { PhoneContext } from './phone-channel.ts'

/** Content for a person that may take several messages. */
export interface Push {
  readonly person: string
  readonly known: Known
  readonly key: string
  readonly session?: string | undefined
  /** What can be chosen in it; without choices, that a number answers something else from now on. */
  readonly list?: OfferedList | undefined
  readonly signal: AbortSignal
}

/** A message, and the request that it contains. */
export interface Saying<Content> {
  readonly content: Content
  readonly ask?: AskPut | undefined
}

const maxListed = 10
const maxTitleLength = 60
const noAddress = { status: 'refused', reason: 'This originator has no address on this channel.' } as const
/** The outcome of messages to a person who wants none. */
export const stopped = {
  status: 'refused',
  reason: 'They have answered STOP and want no messages. They can answer START.',
} as const

/** Sending envelopes and notices, the same on all channels to phones. */
export abstract class PhoneSender<Content = unknown> {
  protected readonly phone: PhoneContext

  constructor(phone: PhoneContext) {
    this.phone = phone
  }

  /** The messages for the blocks of an envelope. */
  protected abstract say(push: Push, blocks: readonly Block[], reader: FileReader): Promise<SendOutcome>

  /** Sends a message that belongs to no session; `replyTo` names the message that it is about. */
  abstract notice(push: Push, text: string, replyTo?: string): Promise<Delivered>

  /** One message about all pending requests. */
  protected abstract gathered(push: Push, text: string, first: GatheredAsk): Promise<SendOutcome>

  /** The id of a message that was tried at `since`, if it was sent. */
  protected abstract sentBefore(push: Push, content: Content, mark: string, since: number): Promise<string | undefined>

  /** Hands a message to the service, whose reports about it carry the mark. */
  protected abstract transmit(push: Push, content: Content, mark: string): Promise<Transmitted>

  async send(to: Originator, envelope: Envelope, key: string, signal: AbortSignal): Promise<SendOutcome> {
    const { correspondents, people, digest, knownOf } = this.phone
    const known = knownOf(to)
    if (known === undefined) return noAddress
    const person = await correspondents.find(known)
    if ((await people.load(person)).stopped) return stopped
    const admitted = await digest.admit(person, to, envelope, key)
    if (admitted.parts.length === 0) return { status: 'sent', externalId: 'gathered with other requests' }
    return this.#say({ person, known, key, signal }, to, admitted)
  }

  /** Sends the next of the gathered requests, in a message of its own; undefined when there is none. */
  async askNext(person: string, signal: AbortSignal): Promise<SendOutcome | undefined> {
    const { digest, knownOf } = this.phone
    const next = (await digest.open(person)).find(({ isAsked }) => !isAsked)
    const part = next && (await digest.partOf(next))
    if (next === undefined || part === undefined) return undefined
    const push = { person, known: knownOf(next.to) ?? {}, key: `${next.key}:${next.approvalId}`, signal }
    const outcome = await this.#say(push, next.to, { role: 'agent', parts: [part], meta: next.meta })
    if (outcome.status === 'sent') await digest.asked(person, next)
    return outcome
  }

  /** A phone gets gathered requests one by one, when its owner asks for the next. */
  async sendDigest(asks: readonly GatheredAsk[], key: string, signal: AbortSignal): Promise<SendOutcome> {
    const { correspondents, digest, knownOf } = this.phone
    const [first] = asks
    const known = first && knownOf(first.to)
    if (first === undefined || known === undefined) return noAddress
    const person = await correspondents.find(known)
    return this.gathered({ person, known, key, signal }, await digestText(asks, digest), first)
  }

  protected async deliver(push: Push, kind: string, sayings: readonly Saying<Content>[]): Promise<Delivered> {
    const { people, runtime, gate } = this.phone
    const { person, known, key, session, list } = push
    const refusal = gate.refusal(known.phone)
    if (refusal !== undefined) return { status: 'refused', reason: refusal }
    const transmissions = sayings.map(({ content, ask }, index) => ({
      name: `${kind}${index}`,
      ask,
      // The outcome of the last attempt is unknown: neither service has idempotency keys.
      transmit: async (mark: string, triedAt: number | undefined): Promise<Transmitted> => {
        const messageId = triedAt === undefined ? undefined : await this.sentBefore(push, content, mark, triedAt)
        return messageId === undefined ? this.transmit(push, content, mark) : { status: 'sent', messageId }
      },
    }))
    return deliver(people, { person, key, session, list, clock: runtime.clock }, transmissions)
  }

  #say(push: Push, to: Originator, envelope: Envelope): Promise<SendOutcome> {
    const { sessionId: session, turnId } = envelope.meta
    const { blocks, choices, isAsking } = blocksOf(envelope, this.phone.partTypes)
    const list = choices.length > 0 || isAsking ? listOf(turnId, choices) : undefined
    return this.say({ ...push, session, list }, blocks, { to, session })
  }
}

/** Codes that are sent again on demand come between those of two follow-ups. */
const issuesPerFollowUp = 1_000

/** A request as it is sent to a person: at first, and by each follow-up with a new code. */
export function askOf(asked: AskedApproval, { to, session }: FileReader, until: number | undefined): AskPut {
  const { approvalId } = asked.request
  const title = shortened(asked.title, 100)
  const issue = (asked.followUp?.number ?? 0) * issuesPerFollowUp
  return defined({ approvalId, session, principal: to.principal, title, issue, until })
}

async function digestText(asks: readonly GatheredAsk[], digest: AskDigest): Promise<string> {
  const lines: string[] = []
  for (const ask of asks.slice(0, maxListed)) {
    const part = await digest.partOf(ask)
    const asked = part && askedApproval(part)
    if (asked !== undefined) lines.push(`${lines.length + 1}. ${shortened(asked.title, maxTitleLength)}`)
  }
  const more = asks.length - lines.length
  const how = 'Reply NEXT to be asked the next one here, or decide where they were asked.'
  const rest = more > 0 ? [`and ${more} more`] : []
  return [`${asks.length} requests wait for your decision:`, ...lines, ...rest, how].join('\n')
}
