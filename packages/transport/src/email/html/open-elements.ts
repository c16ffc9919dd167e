import { declaredIn, type Declarations, type StyleSheet } from './css.ts'
import { attributeText } from './entities.ts'
import { canBeRead, isNeverShown, isTakenAway, lookIn, pageLook, type Look } from './look.ts'

interface Element {
  readonly name: string
  readonly look: Look
  readonly isNeverShown: boolean
  /** How deep it is quoted. */
  readonly quotes: number
  readonly attributes: ReadonlyMap<string, string>
}

type Attributes = ReadonlyMap<string, string>

const deepest = 300
const voids: ReadonlySet<string> = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
)
/** No closing tag reaches out of these. */
const walls: ReadonlySet<string> = new Set('table td th caption object template marquee html'.split(' '))
/** They go on after what was around them has ended. */
const formats: ReadonlySet<string> = new Set('a b big code em font i nobr s small strike strong tt u'.split(' '))
const endsParagraph: ReadonlySet<string> = new Set(
  'address article aside blockquote center details dialog dd dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr li main menu nav ol p pre section summary table ul'.split(
    ' ',
  ),
)
/** What ends by itself where the next one of its kind begins. */
const siblings: readonly (readonly string[])[] = [
  ['li'],
  ['dd', 'dt'],
  ['td', 'th'],
  ['tr'],
  ['tbody', 'thead', 'tfoot'],
]
/** Names that end only where nothing of these was opened in them; the formats end without them. */
const special: ReadonlySet<string> = new Set(
  'address article aside blockquote body button caption center dd details dialog dir div dl dt fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup html iframe li listing main marquee menu nav noembed noframes noscript object ol p plaintext pre script search section select style summary table tbody td template textarea tfoot th thead title tr ul xmp'.split(
    ' ',
  ),
)
/** The next item of a list ends the one before across these only. */
const insideItem: ReadonlySet<string> = new Set(['address', 'div', 'p'])
const listItems: ReadonlySet<string> = new Set(['li', 'dd', 'dt'])
const ofTable: ReadonlySet<string> = new Set(['tr', 'td', 'th', 'tbody', 'thead', 'tfoot', 'table', 'caption'])
/** Where mail programs put what they quote, forward, or sign with. */
const quoting =
  /\b(?:gmail_quote(?:_container)?|gmail_attr|gmail_signature|gmail_extra|moz-cite-prefix|moz-forward-container|moz-signature|yahoo_quoted|protonmail_quote|protonmail_signature_block|zmail_extra|tutanota_quote|front-blockquote|olk_src_body_section|divrplyfwdmsg|appendonsend|mail-editor-reference-message-container|ms-outlook-mobile-signature|signature_marker)\b/
/** Everything that comes after these is quoted. */
const quotesRest = /^(?:divrplyfwdmsg|appendonsend|mail-editor-reference-message-container)$/

/** The elements that are open at a place of a page, as a browser would have them. Where it is in doubt, nothing is seen. */
export class OpenElements {
  readonly #sheet: StyleSheet
  readonly #open: Element[] = []
  /** How many elements of a name are open. */
  readonly #counts = new Map<string, number>()
  /** True once elements were nested too deep to be followed. */
  #isLost = false
  #restIsQuoted = false

  constructor(sheet: StyleSheet) {
    this.#sheet = sheet
  }

  /** Whether nothing can be told of what follows. */
  get isLost(): boolean {
    return this.#isLost
  }

  /** Whether a reader sees words here. */
  get isSeen(): boolean {
    const last = this.#open.at(-1)
    return !this.#isLost && (last === undefined || (!last.isNeverShown && canBeRead(last.look)))
  }

  /** Whether words here are none of the page's, such as those of a style sheet. */
  get isNeverShown(): boolean {
    return this.#open.at(-1)?.isNeverShown === true
  }

  /** How deep words here are quoted. */
  get quotes(): number {
    return (this.#open.at(-1)?.quotes ?? 0) + (this.#restIsQuoted ? 1 : 0)
  }

  open(name: string, attributes: Attributes): void {
    if (this.#isLost) return
    if (endsParagraph.has(name)) this.close('p')
    const kind = siblings.find((names) => names.includes(name))
    if (kind !== undefined) this.#endSibling(kind)
    if (quotesRest.test((attributes.get('id') ?? '').toLowerCase())) this.#restIsQuoted = true
    if (voids.has(name)) return
    // What follows is no markup any more, whatever it looks like.
    if (name === 'plaintext' || this.#open.length >= deepest) this.#isLost = true
    else this.#push(name, attributes)
  }

  close(name: string): void {
    // What comes after the end of the page still stands in what is open.
    if (name === 'body' || name === 'html') return
    const at = this.#find([name])
    if (at === -1) return
    const inside = this.#open.slice(at + 1)
    const isAlone = name === 'form' || (formats.has(name) && inside.some((element) => !formats.has(element.name)))
    const ended = this.#open.splice(at, isAlone ? 1 : Infinity)
    for (const element of ended) this.#count(element.name, -1)
    // What was left open for letters goes on.
    for (const element of ended.slice(1)) if (formats.has(element.name)) this.#push(element.name, element.attributes)
  }

  #push(name: string, attributes: Attributes): void {
    this.#open.push(this.#element(name, attributes))
    this.#count(name, 1)
  }

  #count(name: string, by: number): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + by)
  }

  #endSibling(names: readonly string[]): void {
    const at = this.#find(names)
    if (at !== -1) this.close(this.#open[at]?.name ?? '')
  }

  /** The innermost open element of these names that a tag here reaches. */
  #find(names: readonly string[]): number {
    if (this.#isLost || !names.some((name) => (this.#counts.get(name) ?? 0) > 0)) return -1
    for (let at = this.#open.length - 1; at >= 0; at--) {
      const { name } = this.#open[at] ?? { name: '' }
      if (names.includes(name)) return at
      if (isWall(names, name)) return -1
    }
    return -1
  }

  #element(name: string, attributes: Attributes): Element {
    const around = this.#open.at(-1)
    const [style, classes, id] = ['style', 'class', 'id'].map((key) => attributeText(attributes.get(key) ?? ''))
    const sheets = this.#sheet.for(name, { ...(classes && { class: classes }), ...(id && { id }) })
    const own = declaredIn(style ?? '')
    const declared: Declarations = new Map([
      ...sheets.flatMap(({ all }) => [...all]),
      ...own.all,
      ...sheets.flatMap(({ important }) => [...important]),
      ...own.important,
    ])
    const look = lookIn(around?.look ?? pageLook, declared, attributes)
    // An entity that is not known here could stand for anything.
    const isUnread = /&\w/.test(`${style} ${classes} ${id}`)
    const isGone = look.isGone || isUnread || sheets.some(({ all }) => isTakenAway(all))
    const mark = `${classes} ${id}`.toLowerCase()
    const isQuote = name === 'blockquote' || quoting.test(mark)
    return {
      name,
      look: isGone === look.isGone ? look : { ...look, isGone },
      isNeverShown: around?.isNeverShown === true || isNeverShown(name, attributes),
      quotes: (around?.quotes ?? 0) + (isQuote ? 1 : 0),
      attributes,
    }
  }
}

/** Whether a tag of these names reaches nothing beyond an open element. */
function isWall(names: readonly string[], open: string): boolean {
  if (walls.has(open)) return open === 'table' || !names.some((name) => ofTable.has(name))
  if (names.some((name) => listItems.has(name))) return special.has(open) && !insideItem.has(open)
  if (names.includes('p')) return open === 'button'
  return special.has(open) && names.every((name) => !special.has(name) && !formats.has(name))
}
