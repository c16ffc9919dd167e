import { isPlainValue } from './harmless-properties.ts'
import { isTakenAway } from './look.ts'

/** Declarations of CSS by their property, in lower case. */
export type Declarations = ReadonlyMap<string, string>

/** What is declared at one place; `important` has those of it that go before what other places declare. */
export interface Declared {
  readonly all: Declarations
  readonly important: Declarations
}

interface SheetStyle extends Declared {
  /** Whether one of the rules hides it, even if another one takes precedence. */
  readonly isTakenAway: boolean
}

interface Simple {
  readonly tag: string
  readonly classes: readonly string[]
  readonly ids: readonly string[]
}

interface Rule extends Simple {
  readonly style: SheetStyle
}

const maxSheet = 100_000
const maxRules = 1_000
const maxDeclarations = 100
const maxSelector = 300
const maxKnown = 1_000
const nothing: Declared = { all: new Map(), important: new Map() }
/** A placeholder for what is not parsed any further: it hides. */
const hiding: Declared = { all: new Map([['display', 'none']]), important: new Map([['display', 'none']]) }

/** Parses declarations, with disguises of their names (escapes, comments) undone. `!important` ones win. */
export function declaredIn(text: string): Declared {
  return text === '' ? nothing : declaredInPlain(plainCss(text))
}

function declaredInPlain(css: string): Declared {
  const all = new Map<string, string>()
  const important = new Map<string, string>()
  const pieces = css.split(';', maxDeclarations + 1)
  if (pieces.length > maxDeclarations || pieces.some(isTorn)) return hiding
  for (const piece of pieces) {
    const colon = piece.indexOf(':')
    if (colon === -1) continue
    const name = piece.slice(0, colon).trim()
    const given = piece.slice(colon + 1).trim()
    const value = given.replace(/ ?! ?important$/, '')
    if (important.has(name) && value === given) continue
    if (value !== given) put(important, name, value)
    put(all, name, value)
  }
  return { all, important }
}

/** Whether a bracket is open at the end of a declaration: it goes on behind the semicolon, which is no end then. */
function isTorn(piece: string): boolean {
  const count = (mark: string) => piece.split(mark).length
  return count('(') !== count(')') || count('[') !== count(']') || count('{') !== count('}')
}

/**
 * The declarations of several places, the later ones before the earlier ones. A browser leaves out what it does not
 * understand, and the earlier declaration stays: where that cannot be told, what is declared hides.
 */
export function overlaid(...places: readonly Declarations[]): Declarations {
  const [first = new Map<string, string>(), ...more] = places.filter(({ size }) => size > 0)
  if (more.length === 0) return first
  const all = new Map(first)
  for (const place of more) for (const [name, value] of place) put(all, name, value)
  return all
}

function put(all: Map<string, string>, name: string, value: string): void {
  const before = all.get(name)
  if (before !== undefined && before !== value && !isPlainValue(name, value)) all.set('unsure', '')
  all.set(name, value)
}

/** A page's style sheets. A rule counts for every element that its last simple selectors fit, wherever that stands. */
export class StyleSheet {
  readonly #rules: readonly Rule[]
  readonly #known = new Map<string, SheetStyle>()
  /** True when the sheets have more than is parsed here, or import others: their effect cannot be determined. */
  readonly isUnsure: boolean

  constructor(text: string) {
    const rules = text.length > maxSheet ? undefined : rulesIn(plainCss(text))
    this.isUnsure = rules === undefined
    this.#rules = bySelector(rules ?? [])
  }

  for(name: string, attributes: ReadonlyMap<string, string>): SheetStyle {
    const [classText = '', id = ''] = [attributes.get('class'), attributes.get('id')]
    const key = JSON.stringify([name, classText, id])
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const classes = new Set(classText.split(/\s+/).map(plainName))
    const plainId = plainName(id)
    const style = inOne(
      this.#rules.filter(
        (rule) =>
          (rule.tag === '' || rule.tag === name) &&
          rule.classes.every((one) => classes.has(one)) &&
          rule.ids.every((one) => one === plainId),
      ),
    )
    if (this.#known.size < maxKnown) this.#known.set(key, style)
    return style
  }
}

/** One rule for each selector, the weakest first. */
function bySelector(rules: readonly Rule[]): Rule[] {
  const groups = Map.groupBy(rules, ({ tag, classes, ids }) => JSON.stringify([tag, classes, ids]))
  return [...groups.values()]
    .flatMap((same) => same.slice(0, 1).map((rule) => ({ ...rule, style: inOne(same) })))
    .toSorted((one, other) => weight(one) - weight(other))
}

function weight({ tag, classes, ids }: Simple): number {
  return ids.length * 10_000 + classes.length * 10 + (tag === '' ? 0 : 1)
}

function inOne(rules: readonly Rule[]): SheetStyle {
  const [first] = rules
  if (first !== undefined && rules.length === 1) return first.style
  const important = overlaid(...rules.map(({ style }) => style.important))
  return {
    all: overlaid(...rules.map(({ style }) => style.all), important),
    important,
    isTakenAway: rules.some(({ style }) => style.isTakenAway),
  }
}

interface Block {
  readonly selectors: readonly string[]
  readonly text: string[]
  /** True when it has no rules for elements. */
  readonly isOther: boolean
}

/**
 * The rules of a sheet, nested ones too; conditional rules count as if their condition held. Undefined when there are
 * too many, or some are imported.
 */
function rulesIn(css: string): Rule[] | undefined {
  if (/@import\b/.test(css)) return undefined
  const rules: Rule[] = []
  const open: Block[] = []
  let from = 0
  const marks = /[{};]/g
  for (let mark = marks.exec(css); ; mark = marks.exec(css)) {
    const piece = css.slice(from, mark?.index).trim()
    if (mark?.[0] === '{') open.push(blockOf(piece.replaceAll(htmlMark, '').trim(), open.at(-1)))
    else open.at(-1)?.text.push(piece)
    const ended = mark === null ? open.splice(0) : mark[0] === '}' ? open.splice(-1) : []
    for (const block of ended) rules.push(...rulesOf(block))
    if (rules.length > maxRules || open.length > maxRules) return undefined
    // Fonts that are fetched can look like anything, or like nothing.
    if (ended.some(({ isOther, text }) => isOther && text.some((line) => /^src ?:/.test(line)))) return undefined
    if (mark === null) return rules
    from = mark.index + 1
  }
}

function blockOf(prelude: string, around: Block | undefined): Block {
  const isOther =
    around?.isOther === true || /^@(?:-\w+-)?(?:font-face|keyframes|page|property|counter-style)\b/.test(prelude)
  const selectors = prelude.startsWith('@') ? (around?.selectors ?? []) : prelude.split(',', maxRules + 1)
  return { selectors, text: [], isOther }
}

function rulesOf({ selectors, text, isOther }: Block): Rule[] {
  if (isOther) return []
  const declared = declaredInPlain(text.join(';'))
  if (declared.all.size === 0) return []
  const style = { ...declared, isTakenAway: isTakenAway(declared.all) }
  return selectors.map((selector) => ({ ...lastOf(selector), style }))
}

function lastOf(selector: string): Simple {
  const everything = { tag: '', classes: [], ids: [] }
  if (selector.length > maxSelector) return everything
  let plain = selector.replaceAll(/\[[^\]]*\]/g, '')
  for (let before = ''; before !== plain;) {
    before = plain
    plain = plain.replaceAll(/\([^()]*\)/g, '')
  }
  const last =
    plain
      .replaceAll(/::?[\w-]+/g, '')
      .trim()
      .split(/[\s>+~|]+/)
      .at(-1) ?? ''
  if (!/^[\w.#&*\ufffd-]*$/.test(last)) return everything
  return {
    tag: /^[a-z][\w-]*/.exec(last)?.[0] ?? '',
    classes: [...last.matchAll(/\.([\w\ufffd-]+)/g)].map(([, name = '']) => name),
    ids: [...last.matchAll(/#([\w\ufffd-]+)/g)].map(([, name = '']) => name),
  }
}

/** Stands for a character that is not part of a plain name. */
const unsure = '\ufffd'

/** Stands for `<!--` and `-->`, which mean nothing between rules, and make a declaration void. */
const htmlMark = '\u0001'

const piece =
  /\/\*[\s\S]*?(?:\*\/|$)|"(?:[^"\\\n]|\\[\s\S])*(?:"|(?=\n)|$)|'(?:[^'\\\n]|\\[\s\S])*(?:'|(?=\n)|$)|\\([0-9a-f]{1,6})\s?|\\([^\n])|<!--|-->/gi

/**
 * CSS in lower case, without comments and quoted strings, and with escapes undone. An escaped character is never a mark
 * of the language: it is a part of a name, or `unsure`, as is everything that is not ASCII.
 */
function plainCss(text: string): string {
  return (
    text
      .replaceAll(piece, (found, hex?: string, other?: string) => {
        if (found.startsWith('"') || found.startsWith("'")) return '""'
        if (hex === undefined && other === undefined) return found.startsWith('/') ? '' : htmlMark
        const code = hex === undefined ? (other?.codePointAt(0) ?? 0) : Number.parseInt(hex, 16)
        const character = code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : unsure
        return /^[\w-]$/.test(character) ? character : unsure
      })
      .replaceAll(/url\([^)]*\)?/gi, 'url()')
      .replaceAll(/\s+/g, ' ')
      // oxlint-disable-next-line no-control-regex
      .replaceAll(/[^\u0000-\u007f]/gu, unsure)
      .toLowerCase()
  )
}

/** A name of a class or an element in plain CSS. */
function plainName(name: string): string {
  return name.replaceAll(/[^\w-]/gu, unsure).toLowerCase()
}
