import { trimAscii } from '../ascii.ts'

const longestHtml = 400_000
const longestText = 200_000
const deepestQuote = 5

const silent: ReadonlySet<string> = new Set(['script', 'style', 'head', 'title', 'template', 'svg', 'math', 'noscript'])
const blocks: ReadonlySet<string> = new Set(
  'address article aside blockquote br center dd div dl dt fieldset footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table tbody td tfoot th thead tr ul'.split(
    ' ',
  ),
)
const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  rsquo: '’',
  lsquo: '‘',
  euro: '€',
  auml: 'ä',
  ouml: 'ö',
  uuml: 'ü',
  szlig: 'ß',
  eacute: 'é',
  egrave: 'è',
}

/** By which an element is kept from being seen, as its own tag says. Style sheets can do it too, and are not read. */
const hiding =
  /[\s"']hidden(?=[\s=/>])|display:none|visibility:(?:hidden|collapse)|font-size:0(?![.\d]*[1-9])|opacity:0(?![.\d]*[1-9])|max-height:0|mso-hide:all|color:transparent/
const voids: ReadonlySet<string> = new Set(['br', 'hr', 'img', 'input', 'link', 'meta', 'wbr', 'area', 'col'])
const longestTag = 2_000
/** What HTML shows as a space: its own white space, and one that does not break. A byte order mark is not among it. */
const blank = /[\t\n\f\r \u00a0]+/g

/** The words of an HTML mail, hidden ones too, with quoted blocks marked by `>`. */
export function htmlText(html: string): string {
  return wordsOf(html, () => false)
}

/** The words of an HTML mail that whoever wrote it could see, as far as its tags say. */
export function shownText(html: string): string {
  return wordsOf(html, (tag) => hiding.test(tag.toLowerCase().replaceAll(/\s*:\s*/g, ':')))
}

/**
 * It reads each character once and never nests, so that no mail can keep it busy; what exceeds the limit is left out.
 */
function wordsOf(html: string, isHidden: (tag: string) => boolean): string {
  const page = html.slice(0, longestHtml)
  const writer = new LineWriter()
  let at = 0
  let skipping: string | undefined
  let hidden: { readonly name: string; readonly depth: number } | undefined
  while (at < page.length && writer.length < longestText) {
    const open = page.indexOf('<', at)
    const end = open === -1 ? page.length : open
    if (skipping === undefined && hidden === undefined && end > at) writer.words(page.slice(at, end))
    if (open === -1) break
    const close = tagEnd(page, open)
    const { name, isClosing } = tagName(page, open)
    if (skipping !== undefined) {
      if (isClosing && name === skipping) skipping = undefined
    } else if (silent.has(name) && !isClosing) skipping = name
    else if (hidden !== undefined) hidden = within(hidden, name, isClosing)
    else if (!isClosing && !voids.has(name) && isHidden(page.slice(open, Math.min(close, open + longestTag)))) {
      hidden = { name, depth: 1 }
    } else if (name === 'blockquote') writer.quote(isClosing ? -1 : 1)
    else if (blocks.has(name)) writer.newLine()
    at = close
  }
  return writer.text()
}

/** How deep in a hidden element one is after a tag of its name; undefined when it has ended. */
function within(hidden: { readonly name: string; readonly depth: number }, name: string, isClosing: boolean) {
  if (name !== hidden.name) return hidden
  const depth = hidden.depth + (isClosing ? -1 : 1)
  return depth === 0 ? undefined : { name, depth }
}

/** Where what begins with `<` ends. A `>` in an attribute's quotes ends it too early, which shows a little too much. */
function tagEnd(page: string, open: number): number {
  if (page.startsWith('<!--', open)) {
    const end = page.indexOf('-->', open + 4)
    return end === -1 ? page.length : end + 3
  }
  const end = page.indexOf('>', open)
  return end === -1 ? page.length : end + 1
}

function tagName(page: string, open: number): { readonly name: string; readonly isClosing: boolean } {
  const isClosing = page[open + 1] === '/'
  const start = open + (isClosing ? 2 : 1)
  const name = /^[a-z][a-z0-9]{0,20}/i.exec(page.slice(start, start + 22))?.[0] ?? ''
  return { name: name.toLowerCase(), isClosing }
}

/** Lines of words, each with the depth at which it is quoted. */
class LineWriter {
  readonly #lines: string[] = []
  #line = ''
  #depth = 0
  length = 0

  words(raw: string): void {
    const words = decodeEntities(raw).replaceAll(blank, ' ')
    const more = this.#line === '' && words.startsWith(' ') ? words.slice(1) : words
    this.#line += more
    this.length += more.length
  }

  newLine(): void {
    const line = trimAscii(this.#line)
    this.#line = ''
    if (line === '' && (this.#lines.length === 0 || this.#lines.at(-1)?.replaceAll('> ', '') === '')) return
    this.#lines.push('> '.repeat(Math.min(this.#depth, deepestQuote)) + line)
    this.length += 1
  }

  quote(by: 1 | -1): void {
    if (trimAscii(this.#line) !== '') this.newLine()
    this.#depth = Math.max(0, this.#depth + by)
  }

  text(): string {
    this.newLine()
    return trimAscii(this.#lines.join('\n'))
  }
}

function decodeEntities(text: string): string {
  return text.replaceAll(/&(#x[0-9a-f]{1,6}|#[0-9]{1,7}|[a-z]{2,8});/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return Object.hasOwn(entities, name) ? (entities[name] ?? whole) : whole
    const code = name[1]?.toLowerCase() === 'x' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
    return code > 0 && code <= 0x10_ff_ff && !(code >= 0xd8_00 && code <= 0xdf_ff) ? String.fromCodePoint(code) : ' '
  })
}
