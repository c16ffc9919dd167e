import { BeachError, type Originator, type Principal } from '@cool-ai/beach-core'
import { mailAddress } from './address.ts'
import type { DataFormat } from './options.ts'

/** An addressee: for `sessions.join`, so that a conversation of another channel is also had by mail. */
export interface EmailAddressee {
  readonly address: string
  /** As whom they answer and decide, once their mail is proven to be theirs. */
  readonly principal: Principal
  readonly subject?: string
  readonly data?: DataFormat
}

/** What the channel must know of a person to write to them. */
export interface MailDetails {
  readonly subject?: string
  readonly data?: DataFormat
  /** The mail that is answered, and those before it. */
  readonly messageId?: string
  readonly references?: readonly string[]
}

export function emailOriginator({ address, principal, subject, data }: EmailAddressee): Originator {
  const plain = mailAddress(address)
  if (plain === undefined)
    throw new BeachError('BAD_REQUEST', `'${address}' is not an address that mail can be sent to.`)
  return originatorOf(plain, principal, { ...(subject !== undefined && { subject }), ...(data && { data }) })
}

export function originatorOf(address: string, principal: Principal, details: MailDetails): Originator {
  return {
    id: `smtp:${address}`,
    transport: 'smtp',
    deliveryClass: 'buffered',
    principal,
    address,
    details: { ...details },
  }
}

/** An originator's details; they are from the log, and may be of any shape there. */
export function detailsOf({ details = {} }: Originator): MailDetails {
  const { subject, data, messageId, references } = details
  return {
    ...(typeof subject === 'string' && { subject }),
    ...((data === 'json' || data === 'csv') && { data }),
    ...(typeof messageId === 'string' && { messageId }),
    ...(Array.isArray(references) && { references: references.filter((id) => typeof id === 'string') }),
  }
}
