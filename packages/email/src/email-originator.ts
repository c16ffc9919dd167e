import { BeachError, type Originator, type Principal } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import { mailAddress } from './address.ts'
import { isDataFormat, type DataFormat } from './options.ts'

/** An addressee: for `sessions.join`, so that a conversation of another channel also goes by mail. */
export interface EmailAddressee {
  readonly address: string
  /** The principal as whom they answer and decide, once their mail is proven to be theirs. */
  readonly principal: Principal
  readonly subject?: string
  readonly data?: DataFormat
}

/** What the channel must know about a person to write to them. */
export interface MailDetails {
  readonly subject?: string
  readonly data?: DataFormat
  /** The mail that is answered, and those before it. */
  readonly messageId?: string
  readonly references?: readonly string[]
  /** The request for an approval that their mail asks about. */
  readonly asks?: string
}

/** A person who is written to at a mail address, and answers as a principal. */
export function emailOriginator({ address, principal, subject, data }: EmailAddressee): Originator {
  const plain = mailAddress(address)
  if (plain === undefined)
    throw new BeachError('BAD_REQUEST', `'${address}' is not an address that mail can be sent to.`)
  return originatorOf(plain, principal, defined({ subject, data }))
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

/** An originator's details; they come from the log, and may have any shape there. */
export function detailsOf({ details = {} }: Originator): MailDetails {
  const { subject, data, messageId, references, asks } = details
  return defined({
    subject: typeof subject === 'string' ? subject : undefined,
    data: isDataFormat(data) ? data : undefined,
    messageId: typeof messageId === 'string' ? messageId : undefined,
    references: Array.isArray(references) ? references.filter((id) => typeof id === 'string') : undefined,
    asks: typeof asks === 'string' ? asks : undefined,
  })
}
