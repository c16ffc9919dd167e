import * as z from 'zod'
import { semverPattern, versionPattern } from './card-versions.ts'
import { absoluteUrlSchema, isWebUrl, webUrlSchema } from './urls.ts'

// Descriptions are what a message about the field tells its author to give, and what the JSON Schema says of it.

const text = z.string().min(1, 'is empty')
const names = z.array(text)
const jsonSchema = z
  .record(z.string(), z.unknown())
  .describe('a JSON Schema as an object, or a reference to one such as { "$ref": "https://…" }')

/** The media types that a skill takes or answers with. */
export const mediaTypesSchema: z.ZodArray<z.ZodString> = z
  .array(z.string().regex(/^[\w.+*-]+(\/[\w.+*-]+)?(\s*;\s*[\w.-]+=\S+)*$/, 'is not a media type'))
  .describe("a list of media types, such as ['text/plain', 'image/*']")

interface Address {
  readonly protocol: string
  readonly endpoint: string
  readonly binding?: string
}

function endpointProblem({ protocol, endpoint, binding }: Address): string | undefined {
  if (isWebUrl(endpoint)) return undefined
  if (protocol === 'a2a' && binding !== 'GRPC') return 'is not an http(s) URL, as A2A needs one'
  if (protocol === 'mcp' && !/^stdio:\/\/\S/.test(endpoint)) return 'is neither an http(s) URL nor a stdio:// command'
  return undefined
}

/** How a transport wants its callers to authenticate; each type has fields of its own. */
const authSchema = z
  .looseObject({
    type: text.describe('a registered auth type, such as none, api-key, oauth2 or mtls'),
    header: text.exactOptional().describe('the name of the header that carries the key, for api-key'),
    tokenEndpoint: webUrlSchema.exactOptional().describe('the https URL that issues tokens, for oauth2'),
    scope: z.union([text, names]).exactOptional().describe('the scopes to ask a token for, as a string or a list'),
    fingerprints: names.exactOptional().describe('a list of certificate fingerprints, for mtls'),
  })
  .describe('the way to authenticate, such as { "type": "none" }')

/** One way to reach the agent; each protocol may have fields of its own. */
export const transportSchema = z
  .looseObject({
    protocol: text.describe('a registered transport, such as a2a or mcp'),
    version: text.describe("the protocol's version, such as '1.0'"),
    endpoint: text.describe('the address that peers use, such as https://example.com/a2a'),
    transport: text.exactOptional().describe("the carrier of MCP, 'http' or 'stdio'"),
    tool: text.exactOptional().describe('the name of the MCP tool that peers call to converse, such as ask_my_agent'),
    binding: text
      .exactOptional()
      .describe("the A2A binding at the endpoint: 'JSONRPC' (the default), 'HTTP+JSON', 'GRPC'"),
    tenant: text.exactOptional().describe('the A2A tenant that callers name'),
    auth: authSchema.exactOptional(),
    requiredScopes: names.exactOptional().describe('a list of the scopes that every caller needs'),
  })
  .check(({ value, issues }) => {
    const message = endpointProblem(value)
    if (message !== undefined) issues.push({ code: 'custom', message, path: ['endpoint'], input: value.endpoint })
  })
  .describe('one way to reach the agent: { protocol, version, endpoint }')

export const capabilitySchema = z
  .strictObject({
    id: text.describe("an id that is unique in the card, such as 'flight-search'"),
    description: text.describe('a sentence that says what it does'),
    tags: names.exactOptional().describe('a list of keywords'),
    examples: names.exactOptional().describe('a list of things that a user might ask for'),
    inputModes: mediaTypesSchema.exactOptional(),
    outputModes: mediaTypesSchema.exactOptional(),
    requiredScopes: names.exactOptional().describe('a list of the scopes that a caller needs for it'),
    inputSchema: jsonSchema.exactOptional(),
    outputSchema: jsonSchema.exactOptional(),
  })
  .describe('one thing that the agent can do: { id, description }')

export const cardEnvelopeSchema = z
  .strictObject({
    parts: names.exactOptional().describe('a list of the part types that the agent produces'),
    consumes: names.exactOptional().describe('a list of the part types that the agent understands'),
    a2uiCatalog: absoluteUrlSchema.exactOptional().describe('the URL of the catalog that its surfaces refer to'),
    llmContextLanguage: z
      .string()
      .regex(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/, 'is not a language tag')
      .exactOptional()
      .describe("the language of its llm-context parts as a tag, such as 'en'"),
  })
  .describe('an object with what the agent produces and consumes: { parts, consumes }')

/** What `extensions.beach` holds; further members are kept. */
export const beachBlockSchema = z
  .looseObject({
    version: z
      .string()
      .regex(versionPattern, "is not a version such as '1.0'")
      .exactOptional()
      .describe("the version of the Beach extension, '1.0'"),
    respondToolSchemaVersion: text.exactOptional().describe("the version of the respond() tool's schema, such as '1'"),
    turnStates: names.exactOptional().describe('a list of the turn states that the agent comes to'),
    turnBudgetSeconds: z.number().positive().exactOptional().describe('the seconds that a turn may take, above 0'),
  })
  .describe('an object such as { "version": "1.0" }')

export const providerSchema = z
  .strictObject({
    name: text.describe('the name of the publisher'),
    url: webUrlSchema.exactOptional().describe("the provider's http(s) URL"),
  })
  .describe('an object with the name and url of the publisher')

/** Where to turn for help; further members are kept. */
export const contactSchema = z
  .looseObject({
    email: z.email('is not an e-mail address').exactOptional().describe('an e-mail address'),
    url: webUrlSchema.exactOptional().describe('an http(s) URL'),
  })
  .describe('an object such as { "email": "support@example.com" }')

/** An Agent Card as its author writes it. Whether its names are registered is for `validateAgentCard`. */
export const authoredCardSchema = z
  .strictObject({
    $schema: text.exactOptional().describe('the URL of a JSON Schema, for editors'),
    schemaVersion: z
      .string()
      .regex(versionPattern, "is not a version such as '1.0'")
      .describe("the version of the card's schema, '1.0'"),
    id: z
      .string()
      .regex(/^\S+$/, 'is empty or has spaces')
      .describe("the agent's stable identifier, such as 'example-travel-agent'"),
    name: text.describe('a short name'),
    displayName: text.exactOptional().describe('a name for people'),
    description: text.describe('a sentence that says what the agent does'),
    provider: providerSchema.exactOptional(),
    documentationUrl: webUrlSchema.exactOptional().describe('the http(s) URL of its documentation'),
    iconUrl: webUrlSchema.exactOptional().describe('the http(s) URL of its icon'),
    version: z
      .string()
      .regex(semverPattern, 'is not a semantic version')
      .describe("the agent's own version as major.minor.patch, such as '1.0.0'"),
    capabilities: z.array(capabilitySchema).describe('a list of what the agent can do: [{ id, description }]'),
    transports: z
      .array(transportSchema)
      .min(1, 'is empty, so the agent cannot be reached')
      .describe('a list of ways to reach the agent: [{ protocol, version, endpoint }]'),
    envelope: cardEnvelopeSchema.exactOptional(),
    extensions: z
      .object({ beach: beachBlockSchema.exactOptional() })
      .catchall(z.record(z.string(), z.unknown()).describe('an object'))
      .exactOptional()
      .describe('an object of extension blocks by namespace'),
    contact: contactSchema.exactOptional(),
    generatedAt: z.iso
      .datetime({ offset: true, error: 'is not a date and time' })
      .exactOptional()
      .describe("the time at which the card was generated, such as '2026-04-20T09:50:00Z'"),
  })
  .describe('An Agent Card as its author writes it.')

export type AuthoredCard = z.infer<typeof authoredCardSchema>

/** An Agent Card as its author writes it; constants will do. */
export type AgentCardInput = Constant<AuthoredCard>

type Constant<Value> = Value extends object ? { readonly [Name in keyof Value]: Constant<Value[Name]> } : Value

/** The same for foreign cards: unknown members are no mistake. */
function readableCard() {
  return authoredCardSchema
    .extend({
      provider: providerSchema.loose().exactOptional(),
      capabilities: z.array(capabilitySchema.loose()),
      transports: z.array(transportSchema),
      envelope: cardEnvelopeSchema.loose().exactOptional(),
    })
    .loose()
}

let readable: ReturnType<typeof readableCard> | undefined

export function readableCardSchema(): ReturnType<typeof readableCard> {
  return (readable ??= readableCard())
}

export type ReadableCard = z.infer<ReturnType<typeof readableCard>>

/** How a card says that callers authenticate. */
export type CardAuth = z.infer<typeof authSchema>
