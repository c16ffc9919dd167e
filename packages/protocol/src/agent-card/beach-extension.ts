import * as z from 'zod'
import {
  beachBlockSchema,
  cardEnvelopeSchema,
  capabilitySchema,
  contactSchema,
  providerSchema,
  authoredCardSchema,
  transportSchema,
} from './authored-card.ts'

/** What the Beach extension is called in an Agent Card's `capabilities.extensions`. */
export const BEACH_EXTENSION_URI = 'https://beach.cool-ai.io/extensions/v1'

const { schemaVersion, id, displayName, generatedAt, $schema } = authoredCardSchema.shape
const { parts, consumes, a2uiCatalog, llmContextLanguage } = cardEnvelopeSchema.shape
const { requiredScopes, inputSchema, outputSchema } = capabilitySchema.shape

/** The parameters of the Beach extension: what a Beach agent says of itself that an A2A card has no field for. */
export const beachExtensionSchema = beachBlockSchema
  .extend({
    $schema,
    schemaVersion: schemaVersion.exactOptional(),
    id: id.exactOptional(),
    displayName,
    provider: providerSchema.loose().exactOptional(),
    contact: contactSchema.exactOptional(),
    generatedAt,
    envelopeParts: parts,
    envelopeConsumes: consumes,
    a2uiCatalog,
    llmContextLanguage,
    skills: z
      .record(z.string(), z.looseObject({ requiredScopes, inputSchema, outputSchema }))
      .exactOptional()
      .describe('what is needed for each skill, by its id'),
    transports: z
      .array(transportSchema)
      .exactOptional()
      .describe('every way to reach the agent; those of A2A stand in supportedInterfaces too'),
    extensions: z
      .record(z.string(), z.record(z.string(), z.unknown()))
      .exactOptional()
      .describe('extension blocks of others, by namespace'),
  })
  .describe('The parameters of the Beach extension of an A2A Agent Card.')

/** The parameters of the Beach extension; all of them are optional, and the version is 1.0 unless it says otherwise. */
export type AgentCardBeachExtension = z.infer<typeof beachExtensionSchema>

/** Parameters that are filled from the card's own fields, and cannot be given in `extensions.beach`. */
export const derivedParameters: readonly string[] = Object.keys(beachExtensionSchema.shape).filter(
  (name) => !(name in beachBlockSchema.shape),
)
