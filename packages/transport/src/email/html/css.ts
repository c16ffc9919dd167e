import { plainCss, unsure } from './plain-css.ts'

/** Declarations of CSS by their property, in lower case. */
export type Declarations = ReadonlyMap<string, string>

/** What is declared at one place; `important` has those of it that go before what other places declare. */
export interface Declared {
  readonly all: Declarations
  readonly important: Declarations
}

/** A rule of a style sheet, with the elements that it may be for. */
interface Rule {
  readonly tag?: string
  readonly classes: readonly string[]
  readonly ids: readonly string[]
  readonly declared: Declared
}

const longestSheet = 100_000
const mostRules = 500
const mostDeclarations = 60
const longestSelector = 300
const mostKnown = 1_000
const nothing: Declared = { all: new Map(), important: new Map() }
/** Stands for what is not read any further: it hides. */
const tooMuch: Declarations = new Map([['display', 'none']])

/** Reads declarations, with what hides their names (escapes, comments) undone. `!important` ones win. */
export function declaredIn(text: string): Declared {
  return text === '' ? nothing : declaredInPlain(plainCss(text))
}

function declaredInPlain(css: string): Declared {
  const all = new Map<string, string>()
  const important = new Map<string, string>()
  const pieces = css.split(';', mostDeclarations + 1)
  if (pieces.length > mostDeclarations) return { all: tooMuch, important: tooMuch }
  for (const piece of pieces) {
    const colon = piece.indexOf(':')
    if (colon === -1) continue
    const name = piece.slice(0, colon).trim()
    const given = piece.slice(colon + 1).trim()
    const value = given.replace(/\s*!\s*important$/, '')
    if (important.has(name) && value === given) continue
    if (value !== given) important.set(name, value)
    all.set(name, value)
  }
  return { all, important }
}

/** A page's style sheets. A rule counts for every element that its last simple selectors fit, wherever that stands. */
export class StyleSheet {
  readonly #rules: readonly Rule[]
  readonly #known = new Map<string, readonly Declared[]>()
  /** True when the sheets say more than is read here, or have it from elsewhere: nothing can be told of what they show. */
  readonly isUnsure: boolean

  constructor(text: string) {
    const rules = text.length > longestSheet ? undefined : rulesIn(plainCss(text))
    this.isUnsure = rules === undefined
    this.#rules = rules ?? []
  }

  /** The declarations of each rule that fits an element. */
  for(name: string, { class: classes = '', id = '' }: { readonly class?: string; readonly id?: string }) {
    if (this.#rules.length === 0) return []
    const key = JSON.stringify([name, classes, id])
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const found = this.#found(name, new Set(classes.toLowerCase().split(/\s+/)), id.toLowerCase())
    if (this.#known.size < mostKnown) this.#known.set(key, found)
    return found
  }

  #found(name: string, classes: ReadonlySet<string>, id: string): readonly Declared[] {
    return this.#rules.flatMap((rule) => {
      const fits =
        (rule.tag === undefined || rule.tag === name) &&
        rule.classes.every((one) => classes.has(one)) &&
        rule.ids.every((one) => one === id)
      return fits ? [rule.declared] : []
    })
  }
}

/** What is open at a place of a sheet. */
interface Block {
  readonly selectors: readonly string[]
  readonly text: string[]
  /** True when nothing in it is said of elements. */
  readonly isOther: boolean
}

/**
 * The rules of a sheet, those inside of others too; what a condition holds counts as if it held. Undefined when there are
 * too many, or some stand elsewhere.
 */
function rulesIn(css: string): Rule[] | undefined {
  if (/@import\b/.test(css)) return undefined
  const rules: Rule[] = []
  const open: Block[] = []
  let from = 0
  const marks = /[{};]/g
  for (let mark = marks.exec(css); ; mark = marks.exec(css)) {
    const piece = css.slice(from, mark?.index).trim()
    if (mark?.[0] === '{') open.push(blockOf(piece, open.at(-1)))
    else open.at(-1)?.text.push(piece)
    const ended = mark === null ? open.splice(0) : mark[0] === '}' ? open.splice(-1) : []
    for (const block of ended) rules.push(...rulesOf(block))
    if (rules.length > mostRules || open.length > mostRules) return undefined
    // Letters that are fetched can look like anything, or like nothing.
    if (ended.some(({ isOther, text }) => isOther && text.some((line) => /^src\s*:/.test(line)))) return undefined
    if (mark === null) return rules
    from = mark.index + 1
  }
}

function blockOf(prelude: string, around: Block | undefined): Block {
  const isOther =
    around?.isOther === true || /^@(?:-\w+-)?(?:font-face|keyframes|page|property|counter-style)\b/.test(prelude)
  const selectors = prelude.startsWith('@') ? (around?.selectors ?? []) : prelude.split(',', mostRules + 1)
  return { selectors, text: [], isOther }
}

function rulesOf({ selectors, text, isOther }: Block): Rule[] {
  if (isOther) return []
  const declared = declaredInPlain(text.join(';'))
  return declared.all.size === 0 ? [] : selectors.map((selector) => ({ ...lastOf(selector), declared }))
}

/** The last simple selectors of a selector; those that depend on attributes or states count as fitting. */
function lastOf(selector: string): Omit<Rule, 'declared'> {
  const everything = { classes: [], ids: [] }
  // What is not plain ASCII, or was written in a way that hides it, may name anything.
  // oxlint-disable-next-line no-control-regex
  if (selector.length > longestSelector || selector.includes(unsure) || /[^\u0000-\u007f]/.test(selector))
    return everything
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
  if (!/^[\w.#&*-]*$/.test(last)) return everything
  const [, tag = ''] = /^([a-z][\w-]*)/.exec(last) ?? []
  return {
    ...(tag !== '' && { tag }),
    classes: [...last.matchAll(/\.([\w-]+)/g)].map(([, name = '']) => name),
    ids: [...last.matchAll(/#([\w-]+)/g)].map(([, name = '']) => name),
  }
}
