import type { InContext } from '@cool-ai/beach-channel'
import type { ApprovalRequest } from '@cool-ai/beach-protocol'
import type { PhoneChannelOptions } from '../people/phone-options.ts'

/** The account at Twilio, the numbers, and the limits. */
export interface SmsChannelOptions extends PhoneChannelOptions {
  readonly accountSid: string
  /** What Twilio signs with; several while one takes the other's place. Requests are sent with the first. */
  readonly authTokens: readonly string[]
  /** What requests are sent with instead, where there is such a key. */
  readonly apiKey?: { readonly sid: string; readonly secret: string } | undefined
  /** The agent's number, such as `+15005550006`, or the id of a messaging service (`MG…`). */
  readonly from: string
  /** Numbers that messages to the agent may come to; `from` when left out, and any when that is a service. */
  readonly numbers?: readonly string[] | undefined
  /** What HELP is answered with; nothing when left out, since Twilio answers it itself. */
  readonly help?: string | undefined
  /** Segments that an answer may have; a longer one is shortened and linked where it can be. 6 when left out. */
  readonly maxSegments?: number | undefined
  /** @deprecated Use `maxSegments`. */
  readonly mostSegments?: number | undefined
  /** Which requests may be decided by SMS; all but those for admins when left out. */
  readonly mayDecide?: ((request: ApprovalRequest) => boolean) | undefined
  /** For how long a code is good; an hour when left out. */
  readonly codeValidMs?: number | undefined
  /** `https://api.twilio.com` when left out. */
  readonly apiUrl?: string | undefined
}

/** The channel's options with what the agent gave it. */
export type SmsSettings = InContext<SmsChannelOptions> & { readonly publicUrl: string }

export const smsPath = '/channels/sms'
export const smsStatusPath = '/channels/sms/status'

export const smsLimits = {
  maxSegments: 6,
  codeValidMs: 60 * 60 * 1_000,
  wrongCodes: 5,
  /** What Twilio takes as one message. */
  body: 1_600,
  questionMessages: 6,
} as const
