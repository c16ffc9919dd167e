import { createHmac, timingSafeEqual } from 'node:crypto'
import { principalKey } from '@cool-ai/beach-core/ports'
import type { ChoiceAction } from '@cool-ai/beach-core/registries'
import { encodeId } from '@cool-ai/beach-core/runtime'
import type { SentMail } from './mail-records.ts'

/** A button of a mail of ours, and the mail's recipient. */
export interface MailButton {
  /** The name of the mail. */
  readonly mail: string
  readonly number: number
  readonly sent: SentMail
  readonly action: ChoiceAction
}

const mailLength = 26
const macLength = 16
const form = new RegExp(`^([a-z2-9]{${mailLength}})([a-z2-9]{${macLength}})$`)

/**
 * The name of the mail and a MAC over the session, its recipient and all that the button does. The name alone is in the
 * headers of the mail, and of answers to it, where others may read it.
 */
export function buttonToken(key: Uint8Array, button: MailButton): string {
  return button.mail + macOf(key, button)
}

export function isTokenOf(keys: readonly Uint8Array[], token: string, button: MailButton): boolean {
  const [, mail, mac] = form.exec(token) ?? []
  if (mail !== button.mail || mac === undefined) return false
  const given = Buffer.from(mac)
  return keys.some((key) => timingSafeEqual(Buffer.from(macOf(key, button)), given))
}

/** The mail that a token names. */
export function mailOfToken(token: string): string | undefined {
  return form.exec(token)?.[1]
}

function macOf(key: Uint8Array, { mail, number, sent: { session, address, principal }, action }: MailButton): string {
  const fields = ['press', mail, number, session, address, principalKey(principal), principal.tenant, action]
  return encodeId(createHmac('sha256', key).update(JSON.stringify(fields)).digest().subarray(0, 10))
}
