/** A piece of an HTML page: words, or a tag with its attributes. */
export type HtmlToken =
  | { readonly kind: 'text'; readonly raw: string }
  | { readonly kind: 'open'; readonly name: string; readonly attributes: ReadonlyMap<string, string> }
  | { readonly kind: 'close'; readonly name: string }

const mostAttributes = 50
const longestAttributes = 4_000
/** What stands in these is no markup: it goes on to their own closing tag. */
const rawText: ReadonlySet<string> = new Set([
  'script',
  'style',
  'title',
  'textarea',
  'xmp',
  'iframe',
  'noembed',
  'noframes',
])

/**
 * The tokens of a page. It reads each character a fixed number of times, so that no page can keep it busy. A tag ends
 * where a browser ends it: a `>` in the quotes of an attribute does not count.
 */
export function* htmlTokens(page: string): Generator<HtmlToken> {
  const markup = /<(?=[a-z!?/])/gi
  const ends = new RawEnds(page)
  const marks = [new NextMark(page, '-->'), new NextMark(page, '--!>')]
  let at = 0
  while (at < page.length) {
    markup.lastIndex = at
    const open = markup.exec(page)?.index
    if (open === undefined) return yield { kind: 'text', raw: page.slice(at) }
    if (open > at) yield { kind: 'text', raw: page.slice(at, open) }
    const next = page[open + 1] ?? ''
    if (next === '!' || next === '?') at = commentEnd(page, open, marks)
    else if (next === '/' && !/[a-z]/i.test(page[open + 2] ?? '')) at = afterNext(page, '>', open)
    else {
      const tag = tagAt(page, open)
      yield tag.token
      at = tag.end
      if (tag.token.kind !== 'open' || !rawText.has(tag.token.name)) continue
      const end = ends.of(tag.token.name, at)
      if (end > at) yield { kind: 'text', raw: page.slice(at, end) }
      at = end
    }
  }
}

/** Comments end at the first of two marks; a browser ends `<!-->` and `<!--->` at once. */
function commentEnd(page: string, open: number, marks: readonly NextMark[]): number {
  if (!page.startsWith('<!--', open)) return afterNext(page, '>', open)
  if (page.startsWith('<!-->', open)) return open + 5
  if (page.startsWith('<!--->', open)) return open + 6
  return Math.min(...marks.map((mark) => mark.after(open + 4)))
}

/** Where a mark ends that stands at a place or behind it. It is looked for once, however often it is asked for. */
class NextMark {
  readonly #page: string
  readonly #mark: string
  #found = -1

  constructor(page: string, mark: string) {
    this.#page = page
    this.#mark = mark
  }

  after(from: number): number {
    if (this.#found < from) {
      const found = this.#page.indexOf(this.#mark, from)
      this.#found = found === -1 ? Infinity : found
    }
    return Math.min(this.#page.length, this.#found + this.#mark.length)
  }
}

function afterNext(page: string, mark: string, from: number): number {
  const end = page.indexOf(mark, from)
  return end === -1 ? page.length : end + 1
}

function tagAt(page: string, open: number): { readonly token: HtmlToken; readonly end: number } {
  const isClosing = page[open + 1] === '/'
  const start = open + (isClosing ? 2 : 1)
  let at = start
  while (at < page.length && !/[\s/>]/.test(page[at] ?? '')) at++
  const name = page.slice(start, Math.min(at, start + 30)).toLowerCase()
  const { attributes, end } = attributesAt(page, at)
  return { token: isClosing ? { kind: 'close', name } : { kind: 'open', name, attributes }, end }
}

/** Attributes from behind a tag's name to its end; what is too long for one is cut. */
function attributesAt(page: string, from: number) {
  const attributes = new Map<string, string>()
  let at = from
  while (at < page.length) {
    while (at < page.length && /[\s/]/.test(page[at] ?? '')) at++
    if (at >= page.length || page[at] === '>') break
    const nameStart = at
    // A `=` at the start of a name belongs to it.
    at++
    while (at < page.length && !/[\s/>=]/.test(page[at] ?? '')) at++
    const name = page.slice(nameStart, Math.min(at, nameStart + 50)).toLowerCase()
    const value = valueAt(page, at)
    at = value.end
    // A browser takes the first of two attributes.
    if (attributes.size < mostAttributes && !attributes.has(name)) attributes.set(name, value.text)
    // What is not read could hide the element.
    const isCut = value.text.length >= longestAttributes - 1 && ['style', 'class', 'id'].includes(name)
    if (attributes.size >= mostAttributes || isCut) attributes.set('hidden', '')
  }
  return { attributes, end: Math.min(page.length, at + 1) }
}

function valueAt(page: string, from: number): { readonly text: string; readonly end: number } {
  let at = from
  while (at < page.length && /\s/.test(page[at] ?? '')) at++
  if (page[at] !== '=') return { text: '', end: from }
  at++
  while (at < page.length && /\s/.test(page[at] ?? '')) at++
  const quote = page[at]
  if (quote === '"' || quote === "'") {
    const end = page.indexOf(quote, at + 1)
    const stop = end === -1 ? page.length : end
    return { text: page.slice(at + 1, Math.min(stop, at + longestAttributes)), end: Math.min(page.length, stop + 1) }
  }
  const start = at
  while (at < page.length && !/[\s>]/.test(page[at] ?? '')) at++
  return { text: page.slice(start, Math.min(at, start + longestAttributes)), end: at }
}

/** Where the closing tags of raw elements stand; that there is none further on is found out once for each name. */
class RawEnds {
  readonly #page: string
  readonly #none = new Set<string>()

  constructor(page: string) {
    this.#page = page
  }

  of(name: string, from: number): number {
    if (this.#none.has(name)) return this.#page.length
    const closing = new RegExp(`</${name}(?=[\\s/>])`, 'gi')
    closing.lastIndex = from
    const found = closing.exec(this.#page)
    if (found !== null) return found.index
    this.#none.add(name)
    return this.#page.length
  }
}
