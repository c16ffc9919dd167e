import { AgentCard } from '@a2a-js/sdk'
import { isPlainObject } from '../plain-value.ts'
import { BeachError } from '@cool-ai/beach-core'

/** An Agent Card as JSON. */
export type AgentCardJson = Readonly<Record<string, unknown>>

/**
 * The card as it is published. The SDK leaves out what is empty, required or not; A2A wants what it requires to be
 * there also when it is empty.
 */
export function agentCardToJson(card: AgentCard): AgentCardJson {
  const json = AgentCard.toJSON(card) as Record<string, unknown>
  const complete = {
    name: '',
    description: '',
    supportedInterfaces: [],
    version: '',
    capabilities: {},
    defaultInputModes: [],
    defaultOutputModes: [],
    ...json,
    ...(json.securitySchemes === undefined ? {} : { securitySchemes: withScopes(json.securitySchemes) }),
    skills: listOf(json.skills).map((skill) => ({ id: '', name: '', description: '', tags: [], ...skill })),
  }
  // A copy: the SDK's form shares its extensions' parameters with the card.
  return JSON.parse(JSON.stringify(complete)) as AgentCardJson
}

/** The schemes, with the scopes that every OAuth flow must list. */
function withScopes(schemes: unknown): unknown {
  return mapMembers(schemes, ({ oauth2SecurityScheme: oauth2, ...scheme }) => {
    if (!isPlainObject(oauth2)) return scheme
    const flows = mapMembers(oauth2.flows, (flow) => ({ scopes: {}, ...flow }))
    return { oauth2SecurityScheme: { ...oauth2, flows } }
  })
}

function mapMembers(value: unknown, change: (member: Record<string, unknown>) => unknown): unknown {
  if (!isPlainObject(value)) return value
  const members = Object.entries(value).map(([name, member]) => [name, isPlainObject(member) ? change(member) : member])
  return Object.fromEntries(members)
}

function listOf(value: unknown): readonly object[] {
  return Array.isArray(value) ? (value as object[]) : []
}

const maxDepth = 100
/** Each value that is wrong is told of. */
const maxValuesOfLevel = 10_000

/** A card, given as text or as parsed JSON, when it is JSON of a depth and a width that can be handled. */
export function toCardValue(given: unknown): unknown {
  const value = typeof given === 'string' ? parseCardText(given) : given
  let level = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) throw new BeachError('TOO_DEEP', `A card may be ${maxDepth} levels deep.`)
    if (level.length > maxValuesOfLevel) {
      throw new BeachError('TOO_LARGE', `A card may have ${maxValuesOfLevel} values at each level.`)
    }
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
