import type { Part } from '@cool-ai/beach-core'
import { othersPart } from '@cool-ai/beach-core/ports'
import { isPassedOnSubject } from './own-words.ts'
import type { ReadMail } from './read-mail.ts'

const maxTextLength = 100_000
const maxQuotedLength = 50_000

/**
 * A mail as parts: what its sender has written, with the subject where a conversation begins, and apart from it what they
 * pass on of others. In a conversation that goes on, what is quoted has been said there before and is left out.
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
