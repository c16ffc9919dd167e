import { AgentCard } from '@a2a-js/sdk'
import { isPlainObject } from '../plain-value.ts'

/** An Agent Card as it is published. */
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
