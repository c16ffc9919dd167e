/** Something that was expected and did not happen. */
export interface Failure {
  /** What was looked at, such as `text` or `tools`. */
  readonly of: string
  /** A sentence on what is wrong. */
  readonly message: string
}

const maxShown = 300

/** A value in a sentence, shortened. */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? `“${value}”` : (JSON.stringify(value) ?? 'nothing')
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text
}

/** Several names in a sentence. */
export function listed(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.join(', ')
}

export function several<Item>(value: Item | readonly Item[]): readonly Item[] {
  return Array.isArray(value) ? (value as readonly Item[]) : [value as Item]
}
