import { trimAscii } from '@cool-ai/beach-channel/people'
import { declaredIn, overlaid, StyleSheet, type Declarations } from './html/css.ts'
import { canBeRead, isNeverShown, isTakenAway, lookIn, mayCover, pageLook, type Look } from './html/look.ts'
import { nodesOf, parsePage, type Element, type Node, type Page } from './html/page.ts'

const maxTextLength = 200_000
const maxQuoteDepth = 5

const blocks: ReadonlySet<string> = new Set(
  'address article aside body br center dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr html li main nav ol p pre section table tbody td tfoot th thead tr ul'.split(
    ' ',
  ),
)
/** Void elements. */
const breaks: ReadonlySet<string> = new Set(['br', 'hr'])
/** What HTML shows as a space: its own white space, and one that does not break. A byte order mark is not among it. */
const blank = /[\t\n\f\r \u00a0]+/g

/** The text of an HTML mail, with quoted blocks marked by `>`. */
export interface HtmlWords {
  /** All words, hidden ones too. */
  readonly all: string
  /** The text that a person sees. Text whose visibility is uncertain counts as hidden. */
  readonly seen: string
}

/** It reads each character a few times and never recurses; what exceeds the limits is left out. */
export function htmlWords(html: string): HtmlWords {
  const page = parsePage(html)
  const sheet = sheetOf(page)
  const styles = new StyleSheet(sheet ?? '')
  const places = new Places(styles)
  const open = [pagePlace]
  const all = new LineWriter()
  const seen = new LineWriter()
  let isCut = page.rest !== ''
  for (const { node, isEnd } of nodesOf(page)) {
    isCut ||= all.length >= maxTextLength
    if (all.length >= maxTextLength) break
    const around = open.at(-1) ?? pagePlace
    if ('value' in node) {
      const quotes = places.quotes(around)
      if (!around.isNeverShown) all.words(node.value, quotes)
      if (isSeen(around)) seen.words(node.value, quotes)
    }
    if (!('tagName' in node)) continue
    if (isEnd) open.pop()
    else open.push(places.in(node, around))
    if (open.at(-1)?.isNeverShown === true || (isEnd && breaks.has(node.tagName))) continue
    for (const writer of [all, seen]) {
      if (node.tagName === 'blockquote') writer.endLine()
      else if (blocks.has(node.tagName)) writer.newLine()
    }
  }
  // A yes before it is no plain yes.
  if (isCut) for (const writer of [all, seen]) writer.mark('…')
  const isUnsure = sheet === undefined || styles.isUnsure || places.mayBeCovered
  return { all: all.text(), seen: isUnsure ? '' : seen.text() }
}

/** The style sheets of a page; undefined when their effect cannot be determined. */
function sheetOf(page: Page): string | undefined {
  // The look of the part that was read can depend on the part that was not.
  if (/<(?:style|link|body|html)/i.test(page.rest)) return undefined
  const sheets: string[] = []
  for (const { node } of nodesOf(page)) {
    const parent = node.parentNode?.nodeName
    if ('value' in node && parent === 'style') sheets.push(node.value)
    if (isSheetFromElsewhere(node)) return undefined
    if (isDark(node)) return undefined
    // With scripts it hides its content, without them its content is shown.
    if (node.nodeName === 'noscript' && parent === 'head') return undefined
  }
  return sheets.join('\n')
}

/** Whether a page says that it is shown on a dark ground only. */
function isDark(node: Node): boolean {
  if (node.nodeName !== 'meta' || !('attrs' in node)) return false
  const attributes = new Map(node.attrs.map(({ name, value }) => [name, value.toLowerCase()]))
  return /color-scheme/.test(attributes.get('name') ?? '') && !/light|normal/.test(attributes.get('content') ?? 'light')
}

function isSheetFromElsewhere(node: Node): boolean {
  return (
    node.nodeName === 'link' &&
    'attrs' in node &&
    node.attrs.some(({ name, value }) => name === 'rel' && /style/i.test(value))
  )
}

/** Lines of text, each with the depth at which it is quoted. */
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
    const words = raw.replaceAll(blank, ' ')
    const more = this.#line === '' && words.startsWith(' ') ? words.slice(1) : words
    this.#line += more
    this.length += more.length
  }

  /** A line of its own, which quotes nothing. */
  mark(text: string): void {
    this.endLine()
    this.words(text, 0)
  }

  /** Ends the line unless it is empty. */
  endLine(): void {
    if (trimAscii(this.#line) !== '') this.newLine()
  }

  newLine(): void {
    const line = trimAscii(this.#line)
    this.#line = ''
    if (line === '' && (this.#lines.length === 0 || this.#lines.at(-1)?.replaceAll('> ', '') === '')) return
    this.#lines.push('> '.repeat(Math.min(this.#depth, maxQuoteDepth)) + line)
    this.length += 1
  }

  text(): string {
    this.newLine()
    return trimAscii(this.#lines.join('\n'))
  }
}

/** What holds for the text in an element. */
interface ElementText {
  readonly look: Look
  /** Whether text here is none of the page's, such as that of a style sheet. */
  readonly isNeverShown: boolean
  /** How many elements around quote. */
  readonly quotes: number
}

interface Tag {
  readonly attributes: ReadonlyMap<string, string>
  readonly declared: Declarations
  readonly isTakenAway: boolean
  readonly isNeverShown: boolean
  readonly isQuote: boolean
}

const pagePlace: ElementText = { look: pageLook, isNeverShown: false, quotes: 0 }

/** Where mail programs put quoted and forwarded text, and signatures; Outlook puts `x_` before names of a mail in a mail. */
const quoting =
  /(?:\b|x_)(?:gmail_quote(?:_container)?|gmail_attr|gmail_signature|gmail_extra|moz-cite-prefix|moz-forward-container|moz-signature|yahoo_quoted|protonmail_quote|protonmail_signature_block|zmail_extra|tutanota_quote|front-blockquote|olk_src_body_section|divrplyfwdmsg|appendonsend|mail-editor-reference-message-container|ms-outlook-mobile-signature|signature_marker)\b/
/** Everything after these is quoted. */
const quotesRest = /^(?:x_)*(?:divrplyfwdmsg|appendonsend|mail-editor-reference-message-container)$/

function isSeen(place: ElementText): boolean {
  return !place.isNeverShown && canBeRead(place.look)
}

/** Whether a browser shows the content of a template in the place of what is in the element. */
function hasShadow({ childNodes }: Element): boolean {
  return childNodes.some(
    (node) =>
      node.nodeName === 'template' && 'attrs' in node && node.attrs.some(({ name }) => name.startsWith('shadowroot')),
  )
}

class Places {
  readonly #sheet: StyleSheet
  /** By attributes: elements that the parser makes of one tag share them. */
  readonly #tags = new Map<unknown, Tag>()
  #restIsQuoted = false
  /** Whether an element was met that may lie on words of others. */
  mayBeCovered = false

  constructor(sheet: StyleSheet) {
    this.#sheet = sheet
  }

  /** How deep text is quoted at the position of the walk. */
  quotes(place: ElementText): number {
    return place.quotes + (this.#restIsQuoted ? 1 : 0)
  }

  in(element: Element, around: ElementText): ElementText {
    const tag = this.#tagOf(element)
    const look = lookIn(around.look, tag.declared, tag.attributes)
    if (quotesRest.test(tag.attributes.get('id')?.toLowerCase() ?? '')) this.#restIsQuoted = true
    return {
      look: tag.isTakenAway ? { ...look, isGone: true } : look,
      isNeverShown: around.isNeverShown || tag.isNeverShown || hasShadow(element),
      quotes: around.quotes + (tag.isQuote ? 1 : 0),
    }
  }

  #tagOf({ tagName, attrs }: Element): Tag {
    const key = attrs.length === 0 ? tagName : attrs
    const known = this.#tags.get(key)
    if (known !== undefined) return known
    const attributes = new Map(attrs.map(({ name, value }) => [name, value]))
    const sheets = this.#sheet.for(tagName, attributes)
    const own = declaredIn(attributes.get('style') ?? '')
    const mark = `${attributes.get('class') ?? ''} ${attributes.get('id') ?? ''}`.toLowerCase()
    const declared = overlaid(sheets.all, own.all, sheets.important, own.important)
    this.mayBeCovered ||= mayCover(declared)
    const tag = {
      attributes,
      declared,
      isTakenAway: sheets.isTakenAway || isTakenAway(declared),
      isNeverShown: isNeverShown(tagName, attributes),
      isQuote: tagName === 'blockquote' || quoting.test(mark),
    }
    this.#tags.set(key, tag)
    return tag
  }
}
