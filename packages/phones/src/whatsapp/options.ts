import type { PhoneChannelOptions } from '../people/phone-options.ts'

/** A message template that was approved for the account. */
export interface WhatsAppTemplate {
  readonly name: string
  /** As the template was registered, such as `en_US`. */
  readonly language: string
}

/** The account at Meta, the templates, and the limits. */
export interface WhatsAppChannelOptions extends PhoneChannelOptions {
  /** The id of the agent's number, not the number itself. */
  readonly phoneNumberId: string
  /** What requests are sent with; a function where it changes. */
  readonly accessToken: string | (() => string | Promise<string>)
  /** Secrets of the app that signs what comes in; several while one takes the other's place. */
  readonly appSecrets: readonly string[]
  /** The word that was agreed on when the webhook was set up. */
  readonly verifyToken: string
  /** What is sent to a person who has not written for 24 hours: nothing else reaches them then. */
  readonly templates?:
    | {
        /** Its body has one parameter: what the agent says. */
        readonly notice?: WhatsAppTemplate | undefined
        /** Its body has one parameter, what is to be decided; its two quick replies are to approve and to deny. */
        readonly approval?: WhatsAppTemplate | undefined
      }
    | undefined
  /** `https://graph.facebook.com/v23.0` when left out. */
  readonly graphUrl?: string | undefined
}

/** What the Cloud API takes at the most. */
export const whatsAppLimits = {
  text: 4_096,
  body: 1_024,
  footer: 60,
  buttons: 3,
  buttonTitle: 20,
  payload: 256,
  rows: 10,
  rowTitle: 24,
  rowDescription: 72,
  templateParameter: 900,
} as const

export const windowMs = 24 * 60 * 60 * 1_000
