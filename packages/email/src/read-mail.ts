import { createHash } from 'node:crypto'
import { trimAscii } from '@cool-ai/beach-channel/people'
import { BeachError } from '@cool-ai/beach-core'
import { addressParser, type Attachment, type Email } from 'postal-mime'
import PostalMime from 'postal-mime'
import { mailAddress } from './address.ts'
import { htmlWords } from './html-text.ts'
import { messageIds } from './mail-id.ts'
import { oneLine } from './mails-of.ts'
import { mailWords, type MailWords } from './own-words.ts'
import { stripQuotes, type StrippedText } from './strip-quotes.ts'

/** A parsed mail. */
export interface ReadMail {
  /** The address in From; undefined when that is not exactly one. */
  readonly from?: string | undefined
  readonly subject: string
  /** Its Message-ID; made of its content when it has none. */
  readonly messageId: string
  readonly inReplyTo: readonly string[]
  readonly references: readonly string[]
  readonly recipients: readonly string[]
  /** Its plain text and its HTML as text, each without quotations; one of them, or both. */
  readonly texts: readonly StrippedText[]
  /** What its sender has written, and what they pass on. */
  readonly words: MailWords
  /** The same with everything quoted, up to a limit. */
  readonly whole: string
  /**
   * True when a part begins with a byte order mark, which the decoder has removed: such a mail's words decide nothing.
   */
  readonly isMarked: boolean
  readonly attachments: readonly Attachment[]
  /** The first header of a name, and how many there are. */
  header(name: string): string | undefined
  count(name: string): number
  has(name: string): boolean
}

const maxHeaderBytes = 256 * 1024
const maxHeaders = 1_000
const maxHeaderLength = 32 * 1024
const maxNesting = 20
const maxBoundaries = 1_000
/** Each line has its price: a mail may have many only if it is long. */
const freeLines = 20_000
const minLineLength = 40
const maxTextLength = 200_000
const maxSubjectLength = 500
/** The UTF-8 byte order mark where a part begins: as it is, quoted-printable, or in base64. */
const markedPart = /\r?\n\r?\n(?:\u00ef\u00bb\u00bf|=EF=BB=BF|77u\/)/i

/** Reads a mail. One that is built to cause load is refused before it is parsed. */
export async function readMail(raw: Buffer): Promise<ReadMail> {
  checkShape(raw)
  let email: Email
  try {
    const options = { maxNestingDepth: maxNesting, maxHeadersSize: maxHeaderBytes, forceRfc822Attachments: true }
    email = await new BodyParser(options).parse(raw)
  } catch (error) {
    throw new BeachError('BAD_REQUEST', 'This mail cannot be read: its parts or headers are malformed.', {
      cause: error,
    })
  }
  const values = (name: string) => email.headers.filter(({ key }) => key === name).map(({ value }) => value)
  const { texts, shown, words } = textsOf(email)
  return {
    from: fromAddress(values('from')),
    subject: oneLine(email.subject ?? '').slice(0, maxSubjectLength),
    messageId:
      messageIds(values('message-id').join(' '))[0] ?? `<${createHash('sha256').update(raw).digest('hex')}@none>`,
    inReplyTo: messageIds(values('in-reply-to').join(' ')),
    references: messageIds(values('references').join(' ')),
    recipients: [...values('to'), ...values('cc'), ...values('delivered-to'), ...values('x-original-to')].flatMap(
      addressesIn,
    ),
    texts: [...texts, ...shown].map(stripQuotes),
    words,
    whole: texts.join('\n').slice(0, 2 * maxTextLength),
    isMarked: markedPart.test(raw.toString('latin1')),
    attachments: email.attachments,
    header: (name) => values(name)[0],
    count: (name) => values(name).length,
    has: (name) => values(name).length > 0,
  }
}

function checkShape(raw: Buffer): void {
  const end = headerEnd(raw)
  if (end > maxHeaderBytes || countLines(raw.subarray(0, end)) > maxHeaders) {
    throw new BeachError('TOO_LARGE', `The headers of this mail are too large: ${maxHeaders} lines are allowed.`)
  }
  if (
    raw
      .subarray(0, end)
      .toString('latin1')
      .split(/\r?\n(?![ \t])/)
      .some((header) => header.length > maxHeaderLength)
  ) {
    throw new BeachError('TOO_LARGE', `A header of this mail has more than ${maxHeaderLength} characters.`)
  }
  if (countLines(raw) > freeLines + raw.byteLength / minLineLength) {
    throw new BeachError('TOO_LARGE', 'This mail has too many lines for its size.')
  }
  if (countBoundaries(raw) > maxBoundaries) throw new BeachError('TOO_LARGE', 'This mail has too many parts.')
}

function headerEnd(raw: Buffer): number {
  const ends = [raw.indexOf('\r\n\r\n'), raw.indexOf('\n\n')].filter((at) => at >= 0)
  return ends.length === 0 ? raw.length : Math.min(...ends)
}

function countLines(bytes: Buffer): number {
  let lines = 1
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) lines++
  return lines
}

function countBoundaries(raw: Buffer): number {
  let found = 0
  for (let at = raw.indexOf('\n--'); at !== -1 && found <= maxBoundaries; at = raw.indexOf('\n--', at + 1)) found++
  return found
}

/** Exactly one From with exactly one address, which stands alone or at the end in angle brackets. */
function fromAddress(headers: readonly string[]): string | undefined {
  const [value, second] = headers
  if (value === undefined || second !== undefined || value.length > 2_000) return undefined
  const text = value.trim()
  const open = text.lastIndexOf('<')
  const bare = text.endsWith('>') && open >= 0 ? text.slice(open + 1, -1) : text
  const address = mailAddress(bare)
  const listed = addressesIn(value)
  return listed.length === 1 && listed[0] === address ? address : undefined
}

function addressesIn(header: string): string[] {
  return addressParser(header.slice(0, 20_000), { flatten: true }).flatMap(
    ({ address }) => (address === undefined ? undefined : mailAddress(address)) ?? [],
  )
}

/** A mail's plain text and its HTML as text; `shown` has the visible part of the HTML, where some of it is hidden. */
function textsOf({ text, html = '' }: Email) {
  const isCut = text !== undefined && text.length > maxTextLength
  const plain = trimAscii(isCut ? `${text.slice(0, maxTextLength)}\n…` : (text ?? ''))
  const { all: rich, seen: visible } = htmlWords(html)
  // A person cannot decide by words that they did not see.
  const texts = [plain, rich].filter((one) => one !== '')
  return { texts, shown: visible === rich ? [] : [visible], words: mailWords(plain, visible, html.trim() !== '') }
}

interface TextNode {
  readonly contentType: {
    readonly parsed: { readonly value?: string; readonly params?: Readonly<Record<string, string>> }
  }
  readonly contentDisposition: {
    readonly parsed: { readonly value?: string; readonly params?: Readonly<Record<string, string>> }
  }
}

/** Reads mails; a text that is a file, by its name or its headers, is an attachment and no part of the message. */
class BodyParser extends PostalMime {
  isInlineTextNode({ contentType, contentDisposition }: TextNode): boolean {
    const { value: disposition, params } = contentDisposition.parsed
    if (disposition === 'attachment' || params?.filename !== undefined) return false
    if (contentType.parsed.params?.name !== undefined) return false
    return contentType.parsed.value === 'text/html' || contentType.parsed.value === 'text/plain'
  }
}
