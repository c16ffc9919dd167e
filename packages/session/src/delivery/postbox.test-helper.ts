import type { Channel, Envelope, Originator, PushPolicy, SendOutcome } from '@cool-ai/beach-core'
import { alice } from '../host/test-context.test-helper.ts'

/** One attempt of the channel to send something. */
export interface Attempt {
  readonly to: Originator
  readonly envelope: Envelope
  readonly key: string
  readonly signal: AbortSignal
}

export interface Postbox {
  readonly channel: Channel
  /** Every attempt, oldest first. */
  readonly attempts: readonly Attempt[]
  /** What becomes of an attempt; a test may let it fail or hang. */
  outcome: (attempt: Attempt) => SendOutcome | Promise<SendOutcome>
  /** What has reached a recipient, oldest first. */
  readonly got: (id: string) => Envelope[]
}

/** A channel that pushes and remembers what it was given; like a good one it gives each key to the other side once. */
export function postbox(options: { push?: PushPolicy } = {}): Postbox {
  const attempts: Attempt[] = []
  const inbox = new Map<string, Attempt>()
  const channel: Channel = {
    transport: 'mail',
    deliveryClass: 'buffered',
    start: async () => {},
    async send(to, envelope, key, signal) {
      const attempt = { to, envelope, key, signal }
      attempts.push(attempt)
      const outcome = await box.outcome(attempt)
      if (outcome.status === 'sent' && !inbox.has(key)) inbox.set(key, attempt)
      return outcome
    },
    ...options,
  }
  const box: Postbox = {
    channel,
    attempts,
    outcome: () => ({ status: 'sent' }),
    got: (id) => [...inbox.values()].filter(({ to }) => to.id === id).map(({ envelope }) => envelope),
  }
  return box
}

/** An addressee. */
export function reader(id: string, more: Partial<Originator> = {}): Originator {
  return { id, transport: 'mail', deliveryClass: 'buffered', principal: alice, ...more }
}

/** What an envelope says, part by part. */
export function contents({ parts }: Envelope): unknown[] {
  return parts.map(({ metadata, text, data }) => [metadata.partType, text ?? data])
}

export const never = (): Promise<never> => new Promise(() => {})
