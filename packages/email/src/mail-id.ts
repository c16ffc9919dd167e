import { createHmac, hkdfSync, type KeyObject } from 'node:crypto'
import { encodeId } from '@cool-ai/beach-core/runtime'
import { secretKeys, type Secret } from '@cool-ai/beach-core/tokens'

/** The purpose of a mail of ours: an answer, a request for an approval, or a notice about a mail that came in. */
export type MailPurpose = 'r' | 'a' | 'n'

/** The content of one of our Message-IDs. */
export interface OwnMailId {
  readonly purpose: MailPurpose
  readonly session: string
  /** Names the mail; not to be guessed, and the same for each attempt to send it. */
  readonly mail: string
}

export type Keys = readonly [Uint8Array, ...Uint8Array[]]

const ownId = /^<([ran])\.([^<>@\s]{1,300})\.([a-z2-9]{26})@([^<>@\s]{1,200})>$/
const foreignId = /^<[^<>\s]{1,400}>$/
const mailName = /^[a-z2-9]{26}$/
const maxIds = 50

/** Keys for one use, from the agent's secret; the first one is for what is new. */
export function keysFor(secret: Secret, use: string): Keys {
  const derived = (key: KeyObject) => Buffer.from(hkdfSync('sha256', key, new Uint8Array(), `beach email ${use}`, 32))
  const [first, ...others] = secretKeys(secret)
  return [derived(first), ...others.map(derived)]
}

/** The name of the mail for the delivery with this `key`. */
export function mailNameOf(key: Uint8Array, delivery: string): string {
  return encodeId(createHmac('sha256', key).update(delivery).digest().subarray(0, 16))
}

export function isMailName(text: string): boolean {
  return mailName.test(text)
}

export function messageIdOf({ purpose, session, mail }: OwnMailId, host: string): string {
  return `<${purpose}.${encodeURIComponent(session)}.${mail}@${host}>`
}

/** The content of a Message-ID of ours; undefined for a foreign one. */
export function ownMailId(messageId: string, host: string): OwnMailId | undefined {
  const [, purpose, session, mail, where] = ownId.exec(messageId) ?? []
  if (session === undefined || mail === undefined || where?.toLowerCase() !== host) return undefined
  return { purpose: purpose as MailPurpose, session: decoded(session), mail }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The Message-IDs in a header such as References: each in its brackets, at most the first and the last 50. */
export function messageIds(header: string): string[] {
  const ids = header
    .slice(0, 40_000)
    .split(/(?<=>)|\s+/)
    .map((piece) => piece.trim())
    .filter((piece) => foreignId.test(piece))
  return ids.length <= 2 * maxIds ? ids : [...ids.slice(0, maxIds), ...ids.slice(-maxIds)]
}
