import { createHmac, timingSafeEqual } from 'node:crypto'
import { principalKey } from '@cool-ai/beach-core/ports'
import type { AskPut } from '../people/person-state.ts'

/** What a code is for: one approval, put to one person once. */
export type CodeFor = Pick<AskPut, 'approvalId' | 'principal' | 'session' | 'issue'> & { readonly person: string }

/** Six digits that follow from what they are for, so that they need not be kept, and from a secret. */
export function codeOf(secret: Uint8Array, { approvalId, principal, session, issue, person }: CodeFor): string {
  const about = [principal.tenant, principalKey(principal), person, session, approvalId, issue]
  const digest = createHmac('sha256', secret)
    .update(`sms-code:${JSON.stringify(about)}`)
    .digest()
  return String(digest.readUIntBE(0, 6) % 1_000_000).padStart(6, '0')
}

export function isCode(secret: Uint8Array, about: CodeFor, given: string): boolean {
  const expected = Buffer.from(codeOf(secret, about))
  const bytes = Buffer.from(given)
  return bytes.length === expected.length && timingSafeEqual(bytes, expected)
}

/** The only six ASCII digits in a text, and the words around them; undefined when there are none, or several. */
export function codeIn(text: string): { readonly code: string; readonly words: string } | undefined {
  const short = text.slice(0, 2_000)
  const found = [...short.matchAll(/(?<!\d)(\d{3})[ -]?(\d{3})(?!\d)/g)]
  const [match] = found
  if (match === undefined || found.length > 1) return undefined
  const words = `${short.slice(0, match.index)} ${short.slice(match.index + match[0].length)}`
  return { code: `${match[1]}${match[2]}`, words: words.replaceAll(/^[\t\n\r :#-]+|[\t\n\r :#-]+$/g, '') }
}
