import { escapeSegment } from '../pointer.ts'
import type { Problems } from './problems.ts'

/** What no honest surface needs more of. */
export const a2uiLimits = {
  messages: 500,
  components: 2_000,
  /** Components that one surface shows, when its templates have been filled in. */
  shown: 10_000,
  /** How deep components stand in one another. */
  depth: 50,
  /** How deep values stand in one another, in JSON. */
  nesting: 64,
  /** Values in one payload: texts, numbers, lists, objects. */
  values: 50_000,
  /** Characters of one text. */
  text: 100_000,
  /** Characters of all texts and names. */
  characters: 500_000,
  /** Functions in one another. */
  calls: 5,
} as const

/** A list or an object that is yet to be looked into; its path is made only when it is needed. */
interface Open {
  readonly value: object
  readonly key: string
  readonly parent: Open | undefined
  readonly depth: number
}

/** True when the payload is small enough to be looked at closely; says so when it is not. */
export function isWithinLimits(data: unknown, problems: Problems): boolean {
  const excess = excessOf(data)
  if (excess === undefined) return true
  const { problem, limit, at, key } = excess
  const path = [...namesTo(at), ...(key === undefined ? [] : [key])].map((name) => `/${escapeSegment(name)}`).join('')
  problems.add(path, `${problem}.`, `At most ${a2uiLimits[limit]} are allowed: show less at once.`)
  return false
}

interface LimitExceeded {
  readonly problem: string
  readonly limit: keyof typeof a2uiLimits
  readonly at?: Open
  readonly key?: string
}

function excessOf(data: unknown): LimitExceeded | undefined {
  if (typeof data !== 'object' || data === null) return undefined
  let values = 0
  let characters = 0
  const rest: Open[] = [{ value: data, key: '', parent: undefined, depth: 0 }]
  for (let open = rest.pop(); open !== undefined; open = rest.pop()) {
    const { value, depth } = open
    if (depth > a2uiLimits.nesting) return { problem: 'Values are nested too deep', limit: 'nesting', at: open }
    for (const [key, member] of Object.entries(value)) {
      values++
      characters += key.length
      if (typeof member === 'string') {
        characters += member.length
        if (member.length > a2uiLimits.text) return { problem: 'A text is too long', limit: 'text', at: open, key }
      } else if (typeof member === 'object' && member !== null) {
        rest.push({ value: member as object, key, parent: open, depth: depth + 1 })
      }
      if (values > a2uiLimits.values) return { problem: 'There are too many values', limit: 'values' }
      if (characters > a2uiLimits.characters) return { problem: 'There is too much text', limit: 'characters' }
    }
  }
  return undefined
}

function namesTo(at: Open | undefined): string[] {
  return at?.parent === undefined ? [] : [...namesTo(at.parent), at.key]
}
