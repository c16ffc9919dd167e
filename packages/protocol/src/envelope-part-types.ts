import type { Part, PartTypeDeclaration, PartTypeRegistry } from '@cool-ai/beach-core'
import { addCanonicalPartTypes } from '@cool-ai/beach-core/registries'
import type * as z from 'zod'
import { a2uiActionSchema, a2uiClientDataModelSchema, actionText } from './a2ui-action.ts'
import { approvalRequestSchema, approvalResponseSchema } from './approval.ts'
import { approvalText } from './approval-text.ts'
import { askedApproval } from './approval-words.ts'
import { artifactName, artifactSchema } from './artifact.ts'
import { choiceSchema, choiceText } from './choice.ts'
import { citationSchema } from './citation.ts'
import { progressSchema, progressText } from './progress.ts'
import { problemsOf } from './problems.ts'
import { setStateSchema } from './set-state.ts'

// Sources point into the data; on a phone, whose readers get the data in words, they would lead nowhere.
const sourceTransports = { smtp: 'attach', whatsapp: 'drop', sms: 'drop' } as const

/** The schemas of the data of part types; their types in `PartTypes` follow from them. */
const dataSchemas = {
  citation: citationSchema,
  'a2ui-action': a2uiActionSchema,
  choice: choiceSchema,
  artifact: artifactSchema,
  'approval-request': approvalRequestSchema,
  'approval-response': approvalResponseSchema,
  progress: progressSchema,
  setState: setStateSchema,
} as const

/** The data of part types that have a schema. */
export type SchemaData = { [Type in keyof typeof dataSchemas]: z.infer<(typeof dataSchemas)[Type]> }

declare module '@cool-ai/beach-core' {
  interface PartTypes extends SchemaData {
    'domain-data': unknown
    'llm-context': undefined
    'a2ui-surface': object
    'reasoning-trace': unknown
  }
}

/** The part types of an envelope's data, with the delivery rules of the specification's table. */
const envelopePartTypes: readonly PartTypeDeclaration[] = [
  {
    partType: 'domain-data',
    deliveryRules: { streaming: 'once', buffered: 'at-settlement', transports: { smtp: 'attach' } },
    validate: domainDataProblems,
  },
  {
    partType: 'citation',
    deliveryRules: { streaming: 'once', buffered: 'at-settlement', transports: sourceTransports },
    validate: dataMatches('citation'),
    toText: readAs('citation', ({ title, url, artifactId }) => [title, url ?? artifactId].filter(Boolean).join(': ')),
  },
  {
    partType: 'llm-context',
    deliveryRules: { streaming: 'at-settlement', buffered: 'at-settlement' },
    requiresPeerConsumes: true,
    peersOnly: true,
    validate: (part) => (typeof part.text === 'string' ? [] : ["A part of type 'llm-context' needs a text."]),
  },
  {
    partType: 'a2ui-surface',
    deliveryRules: { streaming: 'flush', buffered: 'final-state' },
    // An answer can do without the picture of it.
    whenInvalid: 'drop',
    validate: (part) => (isObject(part.data) ? [] : ["A part of type 'a2ui-surface' needs A2UI messages as its data."]),
  },
  {
    partType: 'a2ui-action',
    deliveryRules: { streaming: 'inbound-only', buffered: 'inbound-only' },
    validate: actionProblems,
    toText: actionText,
  },
  {
    partType: 'choice',
    deliveryRules: { streaming: 'inbound-only', buffered: 'inbound-only' },
    validate: dataMatches('choice'),
    toText: readAs('choice', choiceText),
  },
  {
    partType: 'artifact',
    // An SMS has no attachments, and an MCP result has resource links.
    deliveryRules: {
      streaming: 'url-reference',
      buffered: 'attach',
      transports: { sms: 'url-reference', mcp: 'url-reference' },
    },
    validate: dataMatches('artifact'),
    toText: readAs('artifact', (file) => [artifactName(file), file.url].filter(Boolean).join(': ')),
  },
  { partType: 'reasoning-trace', deliveryRules: { streaming: 'audit-only', buffered: 'audit-only' } },
  {
    partType: 'approval-request',
    deliveryRules: { streaming: 'flush', buffered: 'flush' },
    validate: dataMatches('approval-request'),
    // The text of a part that was never checked must not be an error.
    toText: (part) => {
      const asked = askedApproval(part)
      return asked === undefined ? part.text : approvalText(asked)
    },
  },
  {
    partType: 'approval-response',
    deliveryRules: { streaming: 'inbound-only', buffered: 'inbound-only' },
    validate: dataMatches('approval-response'),
  },
  {
    partType: 'progress',
    // MCP answers once, at the end, but has progress notifications besides the answer.
    deliveryRules: { streaming: 'flush', buffered: 'drop', transports: { mcp: 'flush' } },
    validate: dataMatches('progress'),
    toText: readAs('progress', progressText),
  },
  {
    partType: 'setState',
    // An instruction to the router. Only a peer agent gets it, as it is; what the peer makes of it is its own affair.
    deliveryRules: { streaming: 'once', buffered: 'at-settlement' },
    allowedTransports: ['a2a'],
    validate: dataMatches('setState'),
  },
]

addCanonicalPartTypes(envelopePartTypes)

/**
 * Registers the canonical envelope part types in a registry that was made empty.
 *
 * @deprecated `PartTypeRegistry.canonical()` has them.
 */
export function registerEnvelopePartTypes(registry: PartTypeRegistry): void {
  for (const declaration of envelopePartTypes) registry.register({ ...declaration, isCanonical: true })
}

function dataMatches(partType: keyof SchemaData): (part: Part) => readonly string[] {
  return (part) => {
    const result = dataSchemas[partType].safeParse(part.data)
    return result.success ? [] : problemsOf(result.error, 'data')
  }
}

// The text of a part that was never checked must not be an error.
function readAs<Type extends keyof SchemaData>(
  partType: Type,
  toText: (data: SchemaData[Type]) => string,
): (part: Part) => string | undefined {
  return (part) => {
    const result = dataSchemas[partType].safeParse(part.data)
    return result.success ? toText(result.data as SchemaData[Type]) : part.text
  }
}

function actionProblems(part: Part): string[] {
  if (isObject(part.data) && 'error' in part.data) {
    return [
      "A2UI's error message is not taken: surfaces are checked before they are sent. Tell the operator of the agent.",
    ]
  }
  const { a2uiClientDataModel: model } = part.metadata
  const result = model === undefined ? undefined : a2uiClientDataModelSchema.safeParse(model)
  const wrong = result?.success === false ? problemsOf(result.error, 'metadata.a2uiClientDataModel') : []
  return [...dataMatches('a2ui-action')(part), ...wrong]
}

function domainDataProblems(part: Part): string[] {
  if (part.data === undefined) return ["A part of type 'domain-data' needs data."]
  if (part.metadata.slotKey !== undefined || (isObject(part.data) && !Array.isArray(part.data))) return []
  return ["The data of a 'domain-data' part without a slotKey must be an object, since it is merged by its keys."]
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
