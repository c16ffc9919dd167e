import type { TurnOutcome, TurnStateEntry } from '@cool-ai/beach-core/registries'
import { defined } from '@cool-ai/beach-core/runtime'
import { checkSchema, isObject, mapSubschemas, type JsonSchema } from '@cool-ai/beach-protocol/json-schema'
import { offeredPartTypes, offeredTurnStates, type RespondOptions } from './respond-options.ts'

/**
 * The input of `respond` as JSON Schema. Models write properties in the order in which they are offered, so the part's
 * type, which decides how its text is handled, comes first.
 */
export function respondInputSchema(options: RespondOptions): JsonSchema {
  const { actors, domainDataSchema } = options
  if (domainDataSchema !== undefined) checkSchema(domainDataSchema, 'The domainDataSchema')
  const domainData = domainDataSchema === undefined ? undefined : embedSchema(domainDataSchema, 'domainData')
  return defined({
    type: 'object',
    required: ['parts', 'turnState'],
    properties: {
      parts: {
        type: 'array',
        description:
          'One or more A2A-style message parts. Each part carries text or data plus a partType metadata tag.',
        minItems: 1,
        items: partSchema(options, domainData),
      },
      turnState: { type: 'string', enum: offeredTurnStates(options), description: turnStateDescription(options) },
      ...(actors?.length !== 0 && { passTo: passToSchema(actors) }),
      note: { type: 'string', description: 'Optional free-form note for logs. Not delivered to any consumer.' },
    },
    $defs: domainData?.$defs,
  })
}

function passToSchema(actors: readonly string[] | undefined): JsonSchema {
  return defined({
    type: 'string',
    enum: actors && [...actors],
    description:
      "Optional. When present and turnState is 'passed', names the actor to which this turn is handed off. The session " +
      "manager begins the next invocation with the named actor, inheriting the mailbox. The receiving actor's tool scope " +
      "applies. Only valid with turnState: 'passed'.",
  })
}

/** One form for all parts, and one each for the types whose data is known. */
function partSchema(options: RespondOptions, domainData: EmbeddedSchema | undefined): JsonSchema {
  const offered = offeredPartTypes(options)
  const forms: JsonSchema[] = []
  const isKnown = (partType: string, data: JsonSchema | undefined) => {
    if (data === undefined || !offered.includes(partType)) return false
    forms.push(dataPart(partType, data))
    return true
  }
  const known = new Set([
    ...(isKnown('domain-data', domainData?.schema) ? ['domain-data'] : []),
    ...(isKnown('setState', coordinatesSchema(options)) ? ['setState'] : []),
  ])
  const others = offered.filter((partType) => !known.has(partType))
  if (others.length > 0) forms.unshift(anyPart(others))
  const [only] = forms
  return forms.length === 1 && only !== undefined ? only : { anyOf: forms }
}

function anyPart(partTypes: readonly string[]): JsonSchema {
  return {
    type: 'object',
    required: ['metadata'],
    properties: {
      metadata: metadataSchema(partTypes),
      text: { type: 'string' },
      data: { type: 'object', description: 'Structured content, for the part types that carry data.' },
    },
  }
}

function dataPart(partType: string, data: JsonSchema): JsonSchema {
  return { type: 'object', required: ['metadata', 'data'], properties: { metadata: metadataSchema([partType]), data } }
}

function metadataSchema(partTypes: readonly string[]): JsonSchema {
  return {
    type: 'object',
    required: ['partType'],
    properties: {
      partType: { type: 'string', enum: [...partTypes], description: partTypeDescription(partTypes) },
      ...(partTypes.includes('clarify') && { options: optionsSchema }),
    },
  }
}

const optionsSchema: JsonSchema = {
  type: 'array',
  items: { type: 'string' },
  description: "Optional, for 'clarify': up to 10 short answers that the user can choose from.",
}

function coordinatesSchema({ coordinates }: RespondOptions): JsonSchema | undefined {
  if (coordinates === undefined) return undefined
  return {
    type: 'object',
    properties: Object.fromEntries(coordinates.map((coordinate) => [coordinate, { type: 'string' }])),
    additionalProperties: false,
  }
}

const partTypePurposes: Readonly<Record<string, string>> = {
  ack: 'at once, what you understood and what you are about to do',
  thinking: 'progress while you work',
  response: 'the actual answer',
  clarify: 'a question that you need answered before you can go on, in place of a response',
  error: 'a failure that the user must know about',
  'domain-data': 'structured data that the answer rests on, for programs',
  'llm-context': 'background in plain language that helps another model to reason about the data',
  'a2ui-surface': 'A2UI messages for a UI to render',
  artifact: 'a reference to a stored file: artifactId, mimeType, sizeBytes; or to one elsewhere: its url',
  'reasoning-trace': 'captured reasoning, for the record',
  citation: 'where a value of the domain data comes from, by its path',
  'approval-request': "a tool call that a human must approve first, with turnState 'suspended': toolName and args",
  progress: 'how far a long operation has come, as data',
  setState: "a state transition that you propose: '<component>.<coordinate>' and its new value",
}

/** The sentences of document 004, and the set that they refer to. */
function partTypeDescription(partTypes: readonly string[]): string {
  const purposes = partTypes.flatMap((partType) => {
    const purpose = Object.hasOwn(partTypePurposes, partType) ? partTypePurposes[partType] : undefined
    return purpose === undefined ? [] : [`'${partType}' (${purpose})`]
  })
  const validated = `Registered part type. ${validatedAgainst('PartTypeRegistry')}`
  if (purposes.length === 0) return validated
  return `${validated} See the canonical set below.\nCanonical set: ${purposes.join(', ')}.`
}

function validatedAgainst(registry: string): string {
  return `Validated against @cool-ai/beach-core's ${registry} (canonical core set plus consumer-registered extensions).`
}

const turnStatePurposes: Readonly<Record<string, string>> = {
  awaiting: 'more respond() calls or injections expected',
  complete: 'turn settled, envelope emitted if data-bearing',
  clarifying: 'terminal; question to user, no envelope',
  error: 'terminal failure',
  suspended: 'HITL approval pending',
  delegated: 'peer-agent call in flight',
  passed: 'handed off to another actor — see passTo',
}

/** The sentences of document 004; states that a consumer registered stand after the canonical ones. */
function turnStateDescription(options: RespondOptions): string {
  const canonical: string[] = []
  const registered: string[] = []
  for (const id of offeredTurnStates(options)) {
    const entry = options.turnStates.get(id)
    const purpose = Object.hasOwn(turnStatePurposes, id) ? turnStatePurposes[id] : undefined
    if (purpose !== undefined) canonical.push(`'${id}' (${purpose})`)
    else if (entry !== undefined) registered.push(`'${id}' (${registeredMeaning(entry)})`)
  }
  const validated = `Declare the lifecycle state of this turn. ${validatedAgainst('TurnStateRegistry')}`
  const more = registered.length === 0 ? '' : ` Registered values: ${registered.join(', ')}.`
  return `${validated} Canonical values: ${canonical.join(', ')}.${more}`
}

function registeredMeaning({ isTerminal, emitsEnvelope, holdsActor, outcome }: TurnStateEntry): string {
  const turn = isTerminal ? 'ends the turn' : holdsActor ? 'you keep the turn' : 'the turn goes on without you'
  return [
    turn,
    ...(emitsEnvelope ? ['an envelope goes out'] : []),
    ...(outcome ? [outcomePurposes[outcome]] : []),
  ].join('; ')
}

const outcomePurposes: Readonly<Record<TurnOutcome, string>> = {
  rejected: "you do not take this on: say why in an 'error' part",
  'auth-required': "an authorisation is needed first: say which, and how to give it, in a 'clarify' part",
}

/** A schema as it can stand inside another: what stands in its place, and the definitions for the other's root. */
interface EmbeddedSchema {
  readonly schema: JsonSchema
  readonly $defs?: JsonSchema
}

/** Embeds a schema in a larger one, whose root its references then start from. */
function embedSchema(schema: JsonSchema, name: string): EmbeddedSchema {
  const { $schema, $id, id, $defs, definitions, ...rest } = schema
  const own = { ...(isObject(definitions) ? definitions : {}), ...(isObject($defs) ? $defs : {}) }
  let ownName = name
  while (Object.hasOwn(own, ownName)) ownName += '_'
  let isReferredTo = false
  const rewrite = (inner: unknown): unknown => {
    if (!isObject(inner)) return inner
    const mapped = mapSubschemas(inner, rewrite)
    if (typeof inner.$ref !== 'string') return mapped
    const $ref = moved(inner.$ref, ownName)
    isReferredTo ||= $ref.startsWith(`#/$defs/${ownName}`)
    return { ...mapped, $ref }
  }
  const body = rewrite(rest) as JsonSchema
  const moving = Object.fromEntries(Object.entries(own).map(([key, inner]) => [key, rewrite(inner)]))
  if (isReferredTo) return { schema: { $ref: `#/$defs/${ownName}` }, $defs: { ...moving, [ownName]: body } }
  return Object.keys(moving).length === 0 ? { schema: body } : { schema: body, $defs: moving }
}

function moved(reference: string, ownName: string): string {
  if (reference.startsWith('#/$defs/')) return reference
  if (reference.startsWith('#/definitions/')) return reference.replace('#/definitions/', '#/$defs/')
  return reference.replace('#', `#/$defs/${ownName}`)
}
