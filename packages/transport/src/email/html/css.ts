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

/** Reads declarations, with what hides their names (escapes, comments) undone. `!important` ones win. */
export function declaredIn(text: string): Declared {
  if (text === '') return nothing
  const all = new Map<string, string>()
  const important = new Map<string, string>()
  for (const piece of plainCss(text).split(';', mostDeclarations)) {
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

  constructor(text: string) {
    this.#rules = rulesIn(plainCss(text.slice(0, longestSheet)))
  }

  /** The declarations of each rule that fits an element. */
  for(name: string, attributes: ReadonlyMap<string, string>): readonly Declared[] {
    if (this.#rules.length === 0) return []
    const key = JSON.stringify([name, attributes.get('class'), attributes.get('id')])
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const found = this.#found(name, attributes)
    if (this.#known.size < mostKnown) this.#known.set(key, found)
    return found
  }

  #found(name: string, attributes: ReadonlyMap<string, string>): readonly Declared[] {
    const classes = new Set((attributes.get('class') ?? '').toLowerCase().split(/\s+/, 50))
    const id = (attributes.get('id') ?? '').toLowerCase()
    return this.#rules.flatMap((rule) => {
      const fits =
        (rule.tag === undefined || rule.tag === name) &&
        rule.classes.every((one) => classes.has(one)) &&
        rule.ids.every((one) => one === id)
      return fits ? [rule.declared] : []
    })
  }
}

function plainCss(text: string): string {
  return text
    .replaceAll(/\/\*[\s\S]*?(?:\*\/|$)/g, '')
    .replaceAll(/\\([0-9a-f]{1,6})\s?|\\(.)/gi, (_, hex?: string, other?: string) => {
      const code = hex === undefined ? undefined : Number.parseInt(hex, 16)
      return code === undefined ? (other ?? '') : code > 0 && code < 0x10_ff_ff ? String.fromCodePoint(code) : ''
    })
    .toLowerCase()
}

function rulesIn(css: string): Rule[] {
  const rules: Rule[] = []
  let at = 0
  while (at < css.length && rules.length < mostRules) {
    const open = css.indexOf('{', at)
    if (open === -1) break
    const whole = css.slice(at, open)
    const prelude = whole.slice(Math.max(whole.lastIndexOf(';'), whole.lastIndexOf('}')) + 1).trim()
    // What a condition holds counts as if it held.
    if (/^@(?:media|supports|layer|container)\b/.test(prelude)) {
      at = open + 1
      continue
    }
    const close = css.indexOf('}', open)
    const end = close === -1 ? css.length : close
    at = end + 1
    if (prelude.startsWith('@')) continue
    const declared = declaredIn(css.slice(open + 1, end))
    if (declared.all.size === 0) continue
    for (const selector of prelude.split(',', mostRules)) rules.push({ ...lastOf(selector), declared })
  }
  return rules
}

/** The last simple selectors of a selector; those that depend on attributes or states count as fitting. */
function lastOf(selector: string): Omit<Rule, 'declared'> {
  if (selector.length > longestSelector) return { classes: [], ids: [] }
  const plain = selector.replaceAll(/\[[^\]]*\]|::?[\w-]+(?:\([^)]*\))?/g, '').trim()
  const last = plain.split(/[\s>+~]+/).at(-1) ?? ''
  const [, tag = ''] = /^([a-z][\w-]*)/.exec(last) ?? []
  return {
    ...(tag !== '' && { tag }),
    classes: [...last.matchAll(/\.([\w-]+)/g)].map(([, name = '']) => name),
    ids: [...last.matchAll(/#([\w-]+)/g)].map(([, name = '']) => name),
  }
}
