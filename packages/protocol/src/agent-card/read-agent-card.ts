import { AgentCard } from '@a2a-js/sdk'
import { isPlainObject } from '../plain-value.ts'
import { a2aCardSchema, withoutNulls, type A2aCardJson } from './a2a-card.ts'
import { readableCardSchema, type ReadableCard } from './authored-card.ts'
import { beachExtensionSchema, derivedParameters, type AgentCardBeachExtension } from './beach-extension.ts'
import { beachExtensionAt, checkA2aVersion, checkVersion } from './card-compatibility.ts'
import { cardError, parseCard, problem } from './card-problems.ts'
import { toCardValue, agentCardToJson, type AgentCardJson } from './card-json.ts'
import { cardVersion } from './card-versions.ts'
import { readTransports, type CardTransport } from './read-transports.ts'
import { toA2aCard } from './to-a2a-card.ts'

/** One thing that an agent can do, as its card says. */
export interface CardCapability {
  readonly id: string
  readonly description: string
  readonly examples: readonly string[]
  readonly requiredScopes: readonly string[]
  readonly inputSchema?: Readonly<Record<string, unknown>>
  readonly outputSchema?: Readonly<Record<string, unknown>>
}

/** An Agent Card of either shape, in the one form that the rest of Beach knows. */
export interface ReadAgentCard extends Pick<
  AgentCardBeachExtension,
  'schemaVersion' | 'id' | 'displayName' | 'contact' | 'generatedAt'
> {
  /** The A2A card, also where the other shape was read. */
  readonly card: AgentCard
  /** What was read, with all that is not known here. */
  readonly json: AgentCardJson
  /** Which shape it was published in: A2A's, or the authored one. */
  readonly shape: 'a2a' | 'authored'
  /** The parameters of the Beach extension; absent when the agent does not speak Beach. */
  readonly beach?: AgentCardBeachExtension
  readonly name: string
  readonly description: string
  readonly version: string
  readonly provider?: { readonly name: string; readonly url?: string }
  readonly capabilities: readonly CardCapability[]
  readonly transports: readonly CardTransport[]
  readonly envelope: {
    readonly parts: readonly string[]
    readonly consumes: readonly string[]
    readonly a2uiCatalog?: string
    readonly llmContextLanguage?: string
  }
  /** Extension blocks by namespace, `beach` among them; turn states that are not known here are kept. */
  readonly extensions: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** Reads an Agent Card, as text or as parsed JSON, in either shape. */
export function readAgentCard(given: unknown): ReadAgentCard {
  const json = toCardValue(given)
  if (!isPlainObject(json)) {
    throw cardError('BAD_REQUEST', [problem([], 'is not a JSON object', 'Give the card as it is published.')])
  }
  if (!isAuthored(json)) return { ...readA2aCard(json), shape: 'a2a', json }
  checkVersion('schemaVersion', json.schemaVersion)
  const { extensions } = json
  const beach = isPlainObject(extensions) ? extensions.beach : undefined
  checkVersion('extensions.beach.version', isPlainObject(beach) ? beach.version : undefined)
  const authored: ReadableCard = parseCard(readableCardSchema(), json)
  return { ...readA2aCard(agentCardToJson(toA2aCard(authored))), shape: 'authored', json }
}

// An A2A card's capabilities are an object, and its ways in stand under another name.
function isAuthored(json: AgentCardJson): boolean {
  return Array.isArray(json.capabilities) || (!('supportedInterfaces' in json) && 'transports' in json)
}

function readA2aCard(json: AgentCardJson): Omit<ReadAgentCard, 'shape' | 'json'> {
  checkA2aVersion(json)
  const checked = parseCard(a2aCardSchema(), withoutNulls(json))
  const card = AgentCard.fromJSON(checked)
  const beach = readBeach(checked)
  const { schemaVersion, id, displayName, contact, generatedAt, a2uiCatalog, llmContextLanguage } = beach ?? {}
  const provider = beach?.provider ?? providerOf(card)
  return {
    card,
    ...onlyGiven({ beach, schemaVersion, id, displayName, contact, generatedAt, provider }),
    name: card.name,
    description: card.description,
    version: card.version,
    capabilities: card.skills.map((skill) => readCapability(skill, beach)),
    transports: readTransports(card, beach),
    envelope: {
      parts: beach?.envelopeParts ?? [],
      consumes: beach?.envelopeConsumes ?? [],
      ...onlyGiven({ a2uiCatalog, llmContextLanguage }),
    },
    extensions: { ...beach?.extensions, ...(beach === undefined ? {} : { beach: beachBlock(beach) }) },
  }
}

function readBeach({ capabilities }: A2aCardJson): AgentCardBeachExtension | undefined {
  const extensions = capabilities?.extensions ?? []
  const index = beachExtensionAt(extensions.map(({ uri = '' }) => uri))
  const extension = extensions[index]
  if (extension === undefined) return undefined
  const { params = {} } = extension
  const place = `capabilities.extensions.${index}.params`
  checkVersion(`${place}.version`, params.version ?? cardVersion)
  checkVersion(`${place}.schemaVersion`, params.schemaVersion ?? cardVersion)
  return { version: cardVersion, ...parseCard(beachExtensionSchema, params, place) }
}

function readCapability(
  skill: AgentCard['skills'][number],
  beach: AgentCardBeachExtension | undefined,
): CardCapability {
  const { id, description, examples } = skill
  const { requiredScopes = [], inputSchema, outputSchema } = beach?.skills?.[id] ?? {}
  return { id, description, examples, requiredScopes, ...onlyGiven({ inputSchema, outputSchema }) }
}

function providerOf({ provider }: AgentCard): ReadAgentCard['provider'] {
  if (provider === undefined) return undefined
  return { name: provider.organization, ...(provider.url === '' ? {} : { url: provider.url }) }
}

/** What an author would have written as `extensions.beach`. */
function beachBlock(beach: AgentCardBeachExtension): Record<string, unknown> {
  return Object.fromEntries(Object.entries(beach).filter(([name]) => !derivedParameters.includes(name)))
}

type Given<Members> = { [Name in keyof Members]?: Exclude<Members[Name], undefined> }

/** Without the members that were not given. */
function onlyGiven<Members extends object>(members: Members): Given<Members> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Given<Members>
}
