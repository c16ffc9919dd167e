import { dayMs, hourMs, StoreCaps, type Transmitted } from '@cool-ai/beach-channel/people'
import type { Clock, Store } from '@cool-ai/beach-core'
import { withDefaults, type AllGiven } from '@cool-ai/beach-core/runtime'
import type { NumberCheck } from './phone-numbers.ts'
import { defaultPhoneLimits, type PhoneLimits } from './phone-options.ts'

interface SendGateOptions {
  readonly store: Store
  readonly clock: Clock
  readonly transport: string
  readonly tenant: string
  readonly limits?: PhoneLimits | undefined
  readonly check: NumberCheck
}

/** Checks every message to a phone: whether its number may be written to, and how many were sent already. */
export class SendGate {
  readonly #caps: StoreCaps
  readonly #limits: AllGiven<PhoneLimits>
  readonly #check: NumberCheck

  constructor({ store, clock, transport, tenant, limits, check }: SendGateOptions) {
    this.#caps = new StoreCaps(store, `phone-caps:${transport}:${encodeURIComponent(tenant)}:`, clock)
    this.#limits = withDefaults(defaultPhoneLimits, limits)
    this.#check = check
  }

  get caps(): StoreCaps {
    return this.#caps
  }

  /** Why a number is not written to; undefined when it is, and for a person without one. */
  refusal(phone: string | undefined): string | undefined {
    return phone === undefined ? undefined : this.#check(phone)
  }

  /** Counts a message, by its mark; returns why it cannot be sent now. */
  async pass(person: string, mark: string): Promise<Exclude<Transmitted, { status: 'sent' }> | undefined> {
    const { messagesPerHour, messagesPerDay, totalPerHour } = this.#limits
    const counted = await this.#caps.count(mark, [
      { what: `to ${person}`, max: messagesPerHour, windowMs: hourMs },
      { what: `to ${person} in a day`, max: messagesPerDay, windowMs: dayMs },
      { what: 'to all', max: totalPerHour, windowMs: hourMs },
    ])
    if (typeof counted !== 'object') return undefined
    return {
      status: 'failed',
      reason: 'Too many messages were sent to this person, or to all together. It goes later.',
    }
  }
}
