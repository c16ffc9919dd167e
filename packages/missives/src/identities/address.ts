import { domainToASCII } from 'node:url'
import { BeachError, type Originator, type Principal } from '@cool-ai/beach-core'
import { principalKey } from '@cool-ai/beach-core/ports'

/** An address of a person, in one form: `email:ann@example.com`, `phone:+4930…`, `principal:user~ann`. */
export type Address = string

const kinds = /^[a-z][a-z0-9-]{0,30}$/
const phone = /^\+?[1-9]\d{4,14}$/
const mail = /^[^\s"<>(),:;@\\[\]]{1,64}@[^\s"<>(),:;@\\[\]]{1,253}$/u

/** The address in its one form; an error when it is invalid. */
export function address(kind: string, value: string): Address {
  const plain = kinds.test(kind) && isPlain(value) ? normal(kind, value.normalize('NFC').trim()) : undefined
  if (plain === undefined || plain === '') {
    throw new BeachError(
      'BAD_REQUEST',
      `This is not an address of kind '${kind.slice(0, 40)}'. Give one like email:ann@example.com or phone:+49301234567.`,
    )
  }
  return `${kind}:${plain}`
}

/** An address that was written as `kind:value`, in its one form. */
export function parseAddress(text: string): Address {
  const at = text.indexOf(':')
  return address(text.slice(0, Math.max(at, 0)), text.slice(at + 1))
}

/** What stands after the kind. */
export function valueOf(full: Address): string {
  return full.slice(full.indexOf(':') + 1)
}

/** The address of a principal. */
export function principalAddress(principal: Pick<Principal, 'kind' | 'id' | 'tenant'>): Address {
  return `principal:${principalKey(principal)}`
}

/** The addresses of an originator: its principal, and where it is written to. */
export function addressesOf({ principal, transport, address: written, details }: Originator): Address[] {
  const found = [principalAddress(principal)]
  if (written !== undefined) found.push(...reachedAt(kindOf(transport, written), written))
  // A WhatsApp user keeps the user id when the number changes.
  if (transport === 'whatsapp' && typeof details?.userId === 'string')
    found.push(...reachedAt(transport, details.userId))
  return [...new Set(found)]
}

const kindOfTransport: Readonly<Record<string, string>> = { smtp: 'email', sms: 'phone' }

function kindOf(transport: string, written: string): string {
  const isNumber = transport === 'whatsapp' && phone.test(written)
  return isNumber ? 'phone' : (kindOfTransport[transport] ?? transport)
}

/** What a transport would write of an address; undefined when the transport reaches no such address. */
export function writtenFor(transport: string, full: Address): string | undefined {
  const kind = full.slice(0, full.indexOf(':'))
  const written = valueOf(full)
  return kind === kindOf(transport, written) ? written : undefined
}

/** None where it cannot be an address. */
function reachedAt(kind: string, written: string): Address[] {
  try {
    return [address(kind, written)]
  } catch {
    return []
  }
}

function isPlain(value: string): boolean {
  return value.length <= 500 && value.isWellFormed() && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value)
}

function normal(kind: string, value: string): string | undefined {
  if (kind === 'email') return mailAddress(value)
  if (kind !== 'phone') return value
  const digits = value.replaceAll(/[\s()./-]/g, '').replace(/^00/, '+')
  return phone.test(digits) ? `+${digits.replace('+', '')}` : undefined
}

/** Mail boxes differ in case only where a sender impersonates another. */
function mailAddress(value: string): string | undefined {
  if (!mail.test(value)) return undefined
  const at = value.lastIndexOf('@')
  const domain = domainToASCII(value.slice(at + 1))
  return domain === '' ? undefined : `${value.slice(0, at).toLowerCase()}@${domain.toLowerCase()}`
}
