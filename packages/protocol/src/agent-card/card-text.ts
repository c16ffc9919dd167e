import { BeachError } from '@cool-ai/beach-core'

const maxDepth = 100

/** A card, given as text or as parsed JSON, when it is JSON of a depth that can be handled. */
export function toCardValue(given: unknown): unknown {
  const value = typeof given === 'string' ? parseCardText(given) : given
  let level = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) throw new BeachError('TOO_DEEP', `A card may be ${maxDepth} levels deep.`)
    level = level.flatMap((item): unknown[] => (typeof item === 'object' && item !== null ? Object.values(item) : []))
  }
  return value
}

/**
 * The value of a card's text. A name that stands twice in one object is refused: readers differ in which of the two
 * they take, so a signature would hold for a card that another reader reads differently.
 */
function parseCardText(text: string): unknown {
  const value = parse(text)
  const written = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').split(':').length - 1
  if (written === countMembers(value)) return value
  throw new BeachError('BAD_JSON', 'The card has the same name twice in one object. Give each name once.')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new BeachError('BAD_JSON', 'The card is not JSON.', { cause })
  }
}

function countMembers(value: unknown): number {
  let count = 0
  const rest = [value]
  while (rest.length > 0) {
    const next = rest.pop()
    if (typeof next !== 'object' || next === null) continue
    const members = Object.values(next)
    if (!Array.isArray(next)) count += members.length
    // Not spread into `push`: a long list would be more arguments than a call can have.
    for (const member of members) rest.push(member)
  }
  return count
}
