import { trimAscii } from '../ascii.ts'
import { htmlEntities } from './html/entities.ts'
import { OpenElements } from './html/open-elements.ts'
import { StyleSheet } from './html/css.ts'
import { htmlTokens } from './html/tokens.ts'

const longestHtml = 400_000
const longestText = 200_000
const deepestQuote = 5

const blocks: ReadonlySet<string> = new Set(
  'address article aside body br center dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr html li main nav ol p pre section table tbody td tfoot th thead tr ul'.split(
    ' ',
  ),
)
/** What HTML shows as a space: its own white space, and one that does not break. A byte order mark is not among it. */
const blank = /[\t\n\f\r \u00a0]+/g

/** The words of an HTML mail, hidden ones too, with quoted blocks marked by `>`. */
export function htmlText(html: string): string {
  return wordsOf(html, new StyleSheet(''), false)
}

/** The words of an HTML mail that a person who looks at it sees. What cannot be told for sure counts as not seen. */
export function shownText(html: string): string {
  // What stands further on, or elsewhere, could hide all of it.
  if (html.length > longestHtml || /<noscript/i.test(html)) return ''
  const sheets = sheetsIn(html)
  if (sheets === undefined) return ''
  const sheet = new StyleSheet(sheets)
  return sheet.isUnsure ? '' : wordsOf(html, sheet, true)
}

/** The style sheets of a page; undefined when some stand elsewhere, or the page says twice what it looks like. */
function sheetsIn(html: string): string | undefined {
  if (!/<(?:style|link|body|html)/i.test(html)) return ''
  const sheets: string[] = []
  let isSheet = false
  let hasBegun = false
  for (const token of htmlTokens(html)) {
    if (token.kind === 'text' && isSheet) sheets.push(token.raw)
    isSheet = token.kind === 'open' && token.name === 'style'
    if (token.kind === 'open') {
      const { name, attributes } = token
      if (name === 'link' && /style|&/i.test(attributes.get('rel') ?? '')) return undefined
      // A browser gives what such a tag says to the page that has begun already.
      if ((name === 'body' || name === 'html') && hasBegun && attributes.size > 0) return undefined
      hasBegun ||= !beforeBody.has(name)
    } else if (token.kind === 'text') hasBegun ||= !isSheet && sheets.at(-1) !== token.raw && token.raw.trim() !== ''
  }
  return sheets.join('\n')
}

const beforeBody: ReadonlySet<string> = new Set('html head meta title base link style script'.split(' '))

/** It reads each character a few times and never recurses; what exceeds the limits is left out. */
function wordsOf(html: string, sheet: StyleSheet, isSeenOnly: boolean): string {
  const writer = new LineWriter()
  const elements = new OpenElements(sheet)
  for (const token of htmlTokens(html.slice(0, longestHtml))) {
    if (writer.length >= longestText || (isSeenOnly && elements.isLost)) break
    if (token.kind === 'text') {
      const counts = isSeenOnly ? elements.isSeen : !elements.isNeverShown
      if (counts) writer.words(token.raw, elements.quotes)
      continue
    }
    if (token.kind === 'open') elements.open(token.name, token.attributes)
    else elements.close(token.name)
    if (elements.isNeverShown) continue
    if (token.name === 'blockquote') writer.endLine()
    else if (blocks.has(token.name)) writer.newLine()
  }
  return writer.text()
}

/** Lines of words, each with the depth at which it is quoted. */
class LineWriter {
  readonly #lines: string[] = []
  #line = ''
  #depth = 0
  length = 0

  words(raw: string, depth: number): void {
    if (depth !== this.#depth) {
      this.endLine()
      this.#depth = depth
    }
    const words = htmlEntities(raw).replaceAll(blank, ' ')
    const more = this.#line === '' && words.startsWith(' ') ? words.slice(1) : words
    this.#line += more
    this.length += more.length
  }

  /** Ends the line if it says something. */
  endLine(): void {
    if (trimAscii(this.#line) !== '') this.newLine()
  }

  newLine(): void {
    const line = trimAscii(this.#line)
    this.#line = ''
    if (line === '' && (this.#lines.length === 0 || this.#lines.at(-1)?.replaceAll('> ', '') === '')) return
    this.#lines.push('> '.repeat(Math.min(this.#depth, deepestQuote)) + line)
    this.length += 1
  }

  text(): string {
    this.newLine()
    return trimAscii(this.#lines.join('\n'))
  }
}
