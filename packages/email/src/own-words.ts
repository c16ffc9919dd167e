import { othersPart, type Part } from '@cool-ai/beach-core'
import type { OthersContent } from '@cool-ai/beach-core/ports'
import type { ReadMail } from './read-mail.ts'
import { stripQuotes, type StrippedText } from './strip-quotes.ts'

/** The content of a mail: its sender's own words, and those of others. */
export interface MailWords {
  readonly own: string
  readonly others: readonly { readonly what: OthersContent; readonly text: string }[]
}

const maxWords = 40_000

/**
 * Tells what the sender of a mail has written from what they pass on. The plain text and the visible part of the HTML
 * must agree, for a person sees only one of them: where the text has more than the HTML shows, such as addresses of
 * links, the visible part counts; where they differ otherwise, neither counts as the sender's words.
 */
export function mailWords(plain: string, shown: string, hasHtml: boolean): MailWords {
  if (!hasHtml) return wordsIn(stripQuotes(plain))
  const seen = stripQuotes(shown)
  if (plain === '') return wordsIn(seen)
  const written = stripQuotes(plain)
  const [ofText, ofHtml] = [comparable(written.text), comparable(seen.text)]
  if (!isWithin(ofHtml, ofText)) return { own: '', others: differing(written, seen) }
  if (ofHtml.length === ofText.length) return wordsIn(written)
  // Everything visible was passed on: the rest of the text is not the sender's.
  return ofHtml.length === 0 ? { own: '', others: differing(written, seen) } : wordsIn(seen)
}

function wordsIn({ text, others }: StrippedText): MailWords {
  return { own: text, others }
}

function differing(written: StrippedText, seen: StrippedText): MailWords['others'] {
  const both = [written.text, seen.text].filter((text) => text !== '')
  return [...both.map((text) => ({ what: 'disagreeing' as const, text })), ...written.others]
}

/** The words of a text, without what programs add to the plain form: addresses, marks of pictures. */
function comparable(text: string): string[] {
  const bare = text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/<?\b(?:https?:\/\/|mailto:|www\.)[^\s<>]+>?|\[(?:image|cid|bild|imagen)[:\s][^\]\n]{0,200}\]/g, ' ')
  return bare.split(/[^\p{L}\p{N}]+/u, maxWords).filter((word) => word !== '')
}

/** Whether all words of one list are in the other, in their order. */
function isWithin(some: readonly string[], all: readonly string[]): boolean {
  let found = 0
  for (const word of all) if (word === some[found]) found++
  return found === some.length
}

/** Marks by which programs begin the subject of what they forward or answer, in the languages that are common. */
const passedOnSubject =
  /^\s*(?:\[[^\]]{0,40}\]\s*)?(?:re|aw|sv|antw|ref|rép|rif|odp|vs|vá|ynt|回复|答复|fwd?|wg|tr|rv|enc|vl|doorst|i|pd|továbbítás|ilt|转发|轉寄|fyi)\s*(?:\[\d+\]|\(\d+\))?\s*[:：]/i

/** The same after what a gateway has put before it, such as `[EXT] [SPAM]` or `EXTERNAL:`. */
const marked =
  /(?:^|[\]):：*|>])\s*(?:re|aw|sv|antw|vs|wg|tr|rv|enc|回复|答复|转发|轉寄)\s*(?:\[\d+\]|\(\d+\))?\s*[:：]|\bfwd?\s*(?:\[\d+\]|\(\d+\))?\s*[:：]/i

/** Whether a subject was written by another person: that of a mail that is forwarded or answered. */
function isPassedOnSubject(subject: string): boolean {
  return passedOnSubject.test(subject) || marked.test(subject)
}

const maxTextLength = 100_000
const maxQuotedLength = 50_000

/**
 * A mail as parts: what its sender has written, with the subject where a conversation begins, and apart from it what
 * they pass on of others. In a conversation that goes on, quoted text is there already and is left out.
 */
export function saidParts(mail: ReadMail, isNew: boolean, fileLines: readonly string[]): Part[] {
  const { own, others } = mail.words
  const words = own.slice(0, maxTextLength).trim()
  const isOwnSubject = isNew && hasOwnSubject(mail)
  const said = isOwnSubject && !words.startsWith(mail.subject) ? `${mail.subject}\n\n${words}`.trim() : words
  const passedOn = others.filter(({ what }) => isNew || words === '' || what === 'forwarded' || what === 'disagreeing')
  const subject = isNew && !isOwnSubject ? mail.subject : ''
  return [
    ...(said === '' ? [] : [{ text: said, metadata: { partType: 'message', ...subjectOf(mail) } }]),
    ...(subject === '' ? [] : [othersPart(subject, 'subject')]),
    ...bounded(passedOn).map(({ what, text }) => othersPart(text, what)),
    ...(fileLines.length === 0 ? [] : [othersPart(fileLines.join('\n'), 'file-name')]),
  ]
}

/** A subject is the sender's own where a mail begins something, and does not only pass something on. */
function hasOwnSubject({ subject, words, inReplyTo, references, attachments }: ReadMail): boolean {
  if (subject === '' || isPassedOnSubject(subject) || inReplyTo.length > 0 || references.length > 0) return false
  const isForwarded = words.others.length > 0 || attachments.some(({ mimeType }) => mimeType === 'message/rfc822')
  return words.own !== '' || !isForwarded
}

function subjectOf({ subject }: ReadMail): { readonly subject?: string } {
  return subject === '' ? {} : { subject }
}

function bounded<Text extends { readonly text: string }>(texts: readonly Text[]): Text[] {
  let room = maxQuotedLength
  return texts.flatMap((entry) => {
    const text = entry.text.slice(0, room).trim()
    room -= text.length
    return text === '' ? [] : [{ ...entry, text }]
  })
}
