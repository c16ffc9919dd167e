import { BeachError } from '@cool-ai/beach-core'
import { nearest } from '@cool-ai/beach-core/runtime'
import type { Level } from './known-options.ts'

/** Refuses options with a key that is none of the known ones, and names the one that was most likely meant. */
export function checkOptions(options: object, known: Level, subject: string): void {
  const wrong = wrongKeys(options, known, { known, path: [] })
  if (wrong.length === 0) return
  throw new BeachError('INVALID_CONFIGURATION', `${subject}: ${wrong.join(' ')}`)
}

interface Place {
  /** All known options, from the top. */
  readonly known: Level
  readonly path: readonly string[]
}

function wrongKeys(options: object, level: Level, { known, path }: Place): string[] {
  return Object.entries(options).flatMap(([name, value]: [string, unknown]) => {
    const below = Object.hasOwn(level, name) ? level[name] : undefined
    if (below === undefined) return [sentence(name, level, { known, path })]
    if (below === true || !isPlain(value)) return []
    if (!isEach(below)) return wrongKeys(value, below, { known, path: [...path, name] })
    return Object.entries(value).flatMap(([key, entry]) =>
      isPlain(entry) ? wrongKeys(entry, below.each, { known, path: [...path, name, key] }) : [],
    )
  })
}

function sentence(name: string, level: Level, { known, path }: Place): string {
  const meant = nearest(name, Object.keys(level))
  const elsewhere = meant === undefined ? placeOf(name, known, []) : undefined
  const where = path.length === 0 ? '' : ` in \`${path.join('.')}\``
  const advice =
    meant === undefined
      ? elsewhere === undefined
        ? ` Known are: ${Object.keys(level).join(', ')}.`
        : ` Did you mean \`${elsewhere}\`?`
      : ` Did you mean \`${[...path, meant].join('.')}\`?`
  return `There is no option \`${name}\`${where}.${advice}`
}

/** Where an option of this very name is, in whichever group. */
function placeOf(name: string, level: Level, path: readonly string[]): string | undefined {
  for (const [key, below] of Object.entries(level)) {
    if (key === name) return [...path, key].join('.')
    if (below === true || isEach(below)) continue
    const found = placeOf(name, below, [...path, key])
    if (found !== undefined) return found
  }
  return undefined
}

function isEach(below: Level | { readonly each: Level }): below is { readonly each: Level } {
  return typeof below.each === 'object'
}

/** An object literal; stores, registries and other objects of code are not looked into. */
export function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
