import type { MessageState } from '@cool-ai/beach-channel/people'
import type { ContextOptions } from '@cool-ai/beach-channel'
import type { Principal, PushPolicy } from '@cool-ai/beach-core'
import type { AllGiven } from '@cool-ai/beach-core/runtime'
import type { Known } from './correspondents.ts'
import type { NumberRules } from './phone-numbers.ts'

/** A `fetch` that the channel's requests go through; a guarded one when left out. */
export type PhoneFetch = (url: string, init: RequestInit) => Promise<Response>

/** How many messages may go out; what is left out has a default. */
export interface PhoneLimits {
  /** To one person within an hour; 60. Further ones are sent later. */
  readonly messagesPerHour?: number | undefined
  /** To one person within a day; 300. */
  readonly messagesPerDay?: number | undefined
  /** To all people together within an hour; 1,000. */
  readonly totalPerHour?: number | undefined
  /** Requests for approvals that one person gets by themselves within ten minutes; 5. Further ones are gathered. */
  readonly asksPerWindow?: number | undefined
}

/** What channels to phones have in common. */
export interface PhoneChannelOptions extends NumberRules, ContextOptions {
  /** The owner of this phone; a user of its own when left out, or when it returns undefined. */
  readonly principalOf?: ((known: Known) => Principal | undefined | Promise<Principal | undefined>) | undefined
  /** Whether messages of a sender are taken at all; of every sender when left out. */
  readonly accepts?: ((known: Known) => boolean) | undefined
  /** After so long without a message the next one begins a new session, unless a turn waits; a day when left out. */
  readonly newSessionAfterMs?: number | undefined
  /** Called with each status of a sent message. */
  readonly onStatus?: ((state: MessageState) => void) | undefined
  readonly fetch?: PhoneFetch | undefined
  /** The largest file that is taken in; 16 MB when left out. */
  readonly maxMediaBytes?: number | undefined
  /** @deprecated Use `maxMediaBytes`. */
  readonly mostMediaBytes?: number | undefined
  readonly limits?: PhoneLimits | undefined
  readonly push?: PushPolicy | undefined
}

export const defaultPhoneLimits = {
  messagesPerHour: 60,
  messagesPerDay: 300,
  totalPerHour: 1_000,
  asksPerWindow: 5,
} as const satisfies AllGiven<PhoneLimits>

export const phoneLimits = { newSessionAfterMs: 24 * 60 * 60 * 1_000, maxMediaBytes: 16 * 1024 * 1024 } as const
