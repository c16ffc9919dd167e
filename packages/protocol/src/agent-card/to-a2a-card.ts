import type { AgentCard, AgentExtension, AgentSkill } from '@a2a-js/sdk'
import type { ReadableCard } from './authored-card.ts'
import { BEACH_EXTENSION_URI, type AgentCardBeachExtension } from './beach-extension.ts'
import { cardVersion } from './card-versions.ts'
import { toInterfaces } from './read-transports.ts'
import { securityOf, skillRequirements, type Security } from './security.ts'

/** What an A2A card says beyond the authored one. */
export interface A2aCardOptions {
  readonly streaming?: boolean | undefined
  readonly pushNotifications?: boolean | undefined
  readonly extendedAgentCard?: boolean | undefined
  /** Further extensions that the agent supports. */
  readonly extensions?: readonly AgentExtension[] | undefined
  readonly documentationUrl?: string | undefined
  readonly iconUrl?: string | undefined
  /** The media types that skills take; text and JSON unless given. */
  readonly defaultInputModes?: readonly string[] | undefined
  /** The media types that skills answer with; text and JSON unless given. */
  readonly defaultOutputModes?: readonly string[] | undefined
}

type Capability = ReadableCard['capabilities'][number]

const defaultMimeTypes = ['text/plain', 'application/json']

/** The A2A card of an authored one, with the Beach extension for all that A2A has no field for. */
export function toA2aCard(card: ReadableCard, options: A2aCardOptions = {}): AgentCard {
  const security = securityOf(card)
  const { provider } = card
  return {
    name: card.name,
    description: card.description,
    supportedInterfaces: toInterfaces(card.transports),
    provider: provider?.url === undefined ? undefined : { organization: provider.name, url: provider.url },
    version: card.version,
    documentationUrl: options.documentationUrl ?? card.documentationUrl,
    capabilities: {
      streaming: options.streaming,
      pushNotifications: options.pushNotifications,
      extensions: [toBeachExtension(card), ...(options.extensions ?? [])],
      extendedAgentCard: options.extendedAgentCard,
    },
    securitySchemes: { ...security.schemes },
    securityRequirements: [...security.requirements],
    defaultInputModes: [...(options.defaultInputModes ?? defaultMimeTypes)],
    defaultOutputModes: [...(options.defaultOutputModes ?? defaultMimeTypes)],
    skills: card.capabilities.map((capability) => toSkill(capability, security)),
    signatures: [],
    iconUrl: options.iconUrl ?? card.iconUrl,
  }
}

function toSkill(capability: Capability, security: Security): AgentSkill {
  const { id, description, examples = [], tags = [], inputModes = [], outputModes = [], requiredScopes } = capability
  const words = id.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
  return {
    id,
    name: words.length === 0 ? id : words.join(' ').replace(/^./u, (letter) => letter.toUpperCase()),
    description,
    tags: tags.length === 0 ? tagsOf(id, words) : [...tags],
    examples: [...examples],
    inputModes: [...inputModes],
    outputModes: [...outputModes],
    securityRequirements: skillRequirements(security, requiredScopes ?? []),
  }
}

/** A2A wants keywords: where the author gives none, those in the id. */
function tagsOf(id: string, words: readonly string[]): string[] {
  return words.length === 0 ? [id] : [...new Set(words.map((word) => word.toLowerCase()))]
}

function toBeachExtension(card: ReadableCard): AgentExtension {
  return {
    uri: BEACH_EXTENSION_URI,
    description: 'Envelope parts, turn states and transports of a Beach agent.',
    required: false,
    params: withoutEmpty(toParameters(card)),
  }
}

function toParameters(card: ReadableCard): { [Name in keyof AgentCardBeachExtension]: unknown } {
  const { beach, ...extensions } = card.extensions ?? {}
  const { envelope = {} } = card
  return {
    ...beach,
    version: beach?.version ?? cardVersion,
    $schema: card.$schema,
    schemaVersion: card.schemaVersion,
    id: card.id,
    displayName: card.displayName,
    provider: card.provider,
    contact: card.contact,
    generatedAt: card.generatedAt,
    envelopeParts: envelope.parts,
    envelopeConsumes: envelope.consumes,
    a2uiCatalog: envelope.a2uiCatalog,
    llmContextLanguage: envelope.llmContextLanguage,
    skills: Object.fromEntries(card.capabilities.flatMap((capability) => skillEntry(capability))),
    transports: card.transports.map((transport) => withoutEmpty(transport)),
    extensions,
  }
}

function skillEntry({ id, requiredScopes, inputSchema, outputSchema }: Capability): [string, object][] {
  const needs = withoutEmpty({ requiredScopes, inputSchema, outputSchema })
  return Object.keys(needs).length === 0 ? [] : [[id, needs]]
}

/**
 * The members that say something. What says nothing is left out, as Protocol Buffers do: whether it was there would
 * otherwise decide over a signature.
 */
function withoutEmpty(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => !isEmpty(value)))
}

function isEmpty(value: unknown): boolean {
  if (value === undefined) return true
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}
