import type { AskPut } from '@cool-ai/beach-channel/people'
import { timingSafeEqual, type KeyObject } from 'node:crypto'
import { principalKey } from '@cool-ai/beach-core/ports'
import { hmacOf } from '@cool-ai/beach-core/tokens'

/** What a code is for: one approval, sent to one person once. */
export type CodeFor = Pick<AskPut, 'approvalId' | 'principal' | 'session' | 'issue'> & { readonly person: string }

/** Six digits derived from what they are for and from a secret, so that they need not be stored. */
export function codeOf(key: KeyObject, { approvalId, principal, session, issue, person }: CodeFor): string {
  const about = [principal.tenant, principalKey(principal), person, session, approvalId, issue]
  const digest = hmacOf(key, `sms-code:${JSON.stringify(about)}`)
  return String(digest.readUIntBE(0, 6) % 1_000_000).padStart(6, '0')
}

export function isCode(keys: readonly KeyObject[], about: CodeFor, given: string): boolean {
  const bytes = Buffer.from(given)
  return keys.some((key) => {
    const expected = Buffer.from(codeOf(key, about))
    return bytes.length === expected.length && timingSafeEqual(bytes, expected)
  })
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
