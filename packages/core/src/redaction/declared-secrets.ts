const leftOut = '[secret]'
/** Shorter values are words that stand in texts for other reasons. */
const minLength = 8
const maxDepth = 64

/** The values that nothing may show or store: wherever one is to be written, `[secret]` is written in its place. */
export class DeclaredSecrets {
  readonly #pattern: RegExp | undefined

  constructor(values: readonly string[]) {
    const forms = new Set(values.filter(({ length }) => length >= minLength).flatMap(formsOf))
    // The longest first: one value may be the beginning of another.
    const sorted = [...forms].toSorted((one, other) => other.length - one.length)
    this.#pattern = sorted.length === 0 ? undefined : new RegExp(sorted.map(escaped).join('|'), 'g')
  }

  /** True when nothing has to be left out. */
  get isEmpty(): boolean {
    return this.#pattern === undefined
  }

  /** The text without the secrets. */
  text(text: string): string {
    return this.#pattern === undefined ? text : text.replaceAll(this.#pattern, leftOut)
  }

  /** A JSON value without the secrets; the same object when there is none in it. */
  value<Value>(value: Value): Value {
    return this.#pattern === undefined || !this.#isIn(value, 0) ? value : (this.#without(value, 0) as Value)
  }

  /** Most values have none: looking makes no copy. */
  #isIn(value: unknown, depth: number): boolean {
    if (typeof value === 'string') return value.search(this.#pattern ?? '') !== -1
    if (typeof value !== 'object' || value === null) return false
    if (depth > maxDepth) return true
    if (Array.isArray(value)) return value.some((item) => this.#isIn(item, depth + 1))
    for (const name of Object.keys(value)) {
      if (this.#isIn(name, 0) || this.#isIn((value as Record<string, unknown>)[name], depth + 1)) return true
    }
    return false
  }

  #without(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.text(value)
    if (typeof value !== 'object' || value === null) return value
    if (depth > maxDepth) return leftOut
    if (Array.isArray(value)) return value.map((item) => this.#without(item, depth + 1))
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [this.text(name), this.#without(item, depth + 1)]),
    )
  }
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
}

/** A secret as it is, and as it stands in addresses and in headers. */
function formsOf(secret: string): readonly string[] {
  const bytes = new TextEncoder().encode(secret)
  const base64 = btoa(String.fromCharCode(...bytes)).replace(/=+$/, '')
  return [secret, encodeURIComponent(secret), base64, base64.replaceAll('+', '-').replaceAll('/', '_')]
}
