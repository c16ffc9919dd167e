import { isTakenAway } from './look.ts'

/** Declarations of CSS by their property, in lower case. */
export type Declarations = ReadonlyMap<string, string>

/** What is declared at one place; `important` has those of it that go before what other places declare. */
export interface Declared {
  readonly all: Declarations
  readonly important: Declarations
}

/** What style sheets declare for an element. */
interface SheetStyle extends Declared {
  /** Whether one of the rules takes it away, even if another one goes before that. */
  readonly isTakenAway: boolean
}

/** The last simple selectors of a selector. */
interface Simple {
  readonly tag: string
  readonly classes: readonly string[]
  readonly ids: readonly string[]
}

interface Rule extends Simple {
  readonly style: SheetStyle
}

const maxSheet = 100_000
const maxSelectors = 1_000
const maxDeclarations = 100
const maxSelector = 300
const maxKnown = 1_000
const nothing: Declared = { all: new Map(), important: new Map() }
/** For what cannot be told: it counts as not seen. */
const hiding: Declared = { all: new Map([['display', 'none']]), important: new Map([['display', 'none']]) }

/** Reads declarations, with what hides their names (escapes, comments) undone. `!important` ones win. */
export function declaredIn(text: string): Declared {
  if (text === '') return nothing
  const all = new Map<string, string>()
  const important = new Map<string, string>()
  const pieces = plainCss(text).split(';', maxDeclarations + 1)
  if (pieces.length > maxDeclarations) return hiding
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
  readonly #known = new Map<string, SheetStyle>()

  constructor(text: string) {
    this.#rules = text.length > maxSheet ? [everything(hiding)] : rulesIn(plainCss(text))
  }

  for(name: string, attributes: ReadonlyMap<string, string>): SheetStyle {
    const key = JSON.stringify([name, attributes.get('class'), attributes.get('id')])
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const classes = new Set((attributes.get('class') ?? '').split(/\s+/).map(plainName))
    const id = plainName(attributes.get('id') ?? '')
    const style = inOne(
      this.#rules.filter(
        (rule) =>
          (rule.tag === '' || rule.tag === name) &&
          rule.classes.every((one) => classes.has(one)) &&
          rule.ids.every((one) => one === id),
      ),
    )
    if (this.#known.size < maxKnown) this.#known.set(key, style)
    return style
  }
}

/** A name of a class or an element, the same as it stands in a style sheet without its escapes. */
function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[^\w-]/g, '_')
}

function everything(declared: Declared): Rule {
  return { tag: '', classes: [], ids: [], style: { ...declared, isTakenAway: isTakenAway(declared.all) } }
}

/** What rules declare together, later ones before earlier ones. */
function inOne(rules: readonly Rule[]): SheetStyle {
  const [first] = rules
  if (first !== undefined && rules.length === 1) return first.style
  const important = new Map(rules.flatMap(({ style }) => [...style.important]))
  return {
    all: new Map([...rules.flatMap(({ style }) => [...style.all]), ...important]),
    important,
    isTakenAway: rules.some(({ style }) => style.isTakenAway),
  }
}

/** CSS without comments and what strings say, with escapes undone; none of them is taken for punctuation. */
function plainCss(text: string): string {
  return text
    .replaceAll(/\\[^]|"(?:[^"\\\n]|\\[^])*"?|'(?:[^'\\\n]|\\[^])*'?|\/\*[^]*?(?:\*\/|$)/g, (found) =>
      found.startsWith('\\') ? found : found.startsWith('/') ? '' : '""',
    )
    .replaceAll(/\\([0-9a-f]{1,6})\s?|\\(.)/gi, (_, hex?: string, other?: string) => {
      const code = hex === undefined ? 0 : Number.parseInt(hex, 16)
      const letter = other ?? (code > 0 && code < 0x10_ff_ff ? String.fromCodePoint(code) : '')
      return letter.replaceAll(/[^\w-]/g, '_')
    })
    .replaceAll(/\s+/g, ' ')
    .toLowerCase()
}

/** The rules of a style sheet, one for each selector, the weakest first. */
function rulesIn(css: string): Rule[] {
  const bySelector = new Map<string, Rule[]>()
  let selectors = 0
  let at = 0
  while (at < css.length) {
    const open = css.indexOf('{', at)
    if (open === -1) break
    const whole = css.slice(at, open)
    const prelude = whole.slice(Math.max(whole.lastIndexOf(';'), whole.lastIndexOf('}')) + 1).trim()
    const close = css.indexOf('}', open)
    const inside = css.slice(open + 1, close === -1 ? css.length : close)
    // What a condition or a rule holds counts as if it stood by itself.
    const isNested = inside.includes('{')
    at = open + 1 + (isNested ? 0 : inside.length + 1)
    if (prelude.startsWith('@')) continue
    const { style } = everything(isNested ? hiding : declaredIn(inside))
    for (const selector of prelude.split(',')) {
      // A step of an animation.
      if (/^ ?[\d.]+% ?$/.test(selector)) continue
      if (++selectors > maxSelectors) return [everything(hiding)]
      const simple = lastOf(selector)
      const key = JSON.stringify(simple)
      const same = bySelector.get(key)
      if (same === undefined) bySelector.set(key, [{ ...simple, style }])
      else same.push({ ...simple, style })
    }
  }
  return [...bySelector.values()]
    .flatMap((same) => same.slice(0, 1).map((rule) => ({ ...rule, style: inOne(same) })))
    .toSorted((one, other) => weight(one) - weight(other))
}

function weight({ tag, classes, ids }: Simple): number {
  return ids.length * 10_000 + classes.length * 10 + (tag === '' ? 0 : 1)
}

/** What depends on attributes or states counts as fitting. */
function lastOf(selector: string): Simple {
  if (selector.length > maxSelector) return { tag: '', classes: [], ids: [] }
  const plain = selector.replaceAll(/\[[^\]]*\]|::?[\w-]+(?:\([^)]*\))?/g, '').trim()
  const last = plain.split(/[\s>+~]+/).at(-1) ?? ''
  return {
    tag: /^[a-z][\w-]*/.exec(last)?.[0] ?? '',
    classes: [...last.matchAll(/\.([^.#]+)/g)].map(([, name = '']) => plainName(name)),
    ids: [...last.matchAll(/#([^.#]+)/g)].map(([, name = '']) => plainName(name)),
  }
}
