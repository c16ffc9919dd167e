import { isBeachError, type Part } from '@cool-ai/beach-core'
import { parsePart } from '@cool-ai/beach-protocol'
import { isObject, kindOf, schemaProblems } from '@cool-ai/beach-protocol/json-schema'
import { isInbound, isReserved, offeredPartTypes, type RespondOptions } from './respond-options.ts'

/** A part in wire form, or what is wrong with what was meant as one. */
type CheckedPart =
  | { readonly part: Part }
  | {
      readonly problems: readonly string[]
      /** The type of a part that an answer can do without. */
      readonly droppable?: string
    }

/** Checks one part that a model wrote, in either form. */
export function checkPart(authored: unknown, options: RespondOptions): CheckedPart {
  if (!isObject(authored)) {
    return { problems: [`A part is an object with metadata and with text or data, not ${kindOf(authored)}.`] }
  }
  const refusal = typeRefusal(authored, options)
  if (refusal !== undefined) return { problems: [refusal] }
  const parsed = parsedPart(authored, options)
  if (!('part' in parsed)) return { ...parsed, ...droppable(authored, options) }
  const problems = dataProblems(parsed.part, options)
  return problems.length > 0 ? { problems } : parsed
}

function typeOf({ partType, metadata }: Readonly<Record<string, unknown>>): string | undefined {
  const named = partType ?? (isObject(metadata) ? metadata.partType : undefined)
  return typeof named === 'string' ? named : undefined
}

function droppable(authored: Readonly<Record<string, unknown>>, { partTypes }: RespondOptions) {
  const named = typeOf(authored)
  const isDropped = named !== undefined && partTypes.get(named)?.whenInvalid === 'drop'
  return isDropped ? { droppable: named } : {}
}

/** Why a model may not emit a part of this type, although it may be registered. */
function typeRefusal(authored: Readonly<Record<string, unknown>>, options: RespondOptions): string | undefined {
  const named = typeOf(authored)
  if (named === undefined) return undefined
  const entry = options.partTypes.get(named)
  if (entry === undefined) {
    return `The part type '${named}' is not registered. Use one of: ${offeredPartTypes(options).join(', ')}.`
  }
  if (isInbound(entry)) return `A part of type '${named}' only comes from outside, never from you: leave it out.`
  if (isReserved(named, options)) return `A part of type '${named}' is made by the system, never by you: leave it out.`
  return undefined
}

function parsedPart(authored: Readonly<Record<string, unknown>>, { partTypes }: RespondOptions): CheckedPart {
  try {
    return { part: parsePart(withoutNulls(authored), partTypes) }
  } catch (error) {
    if (!isBeachError(error, 'INVALID_PART')) throw error
    const { problems } = error.details
    return { problems: Array.isArray(problems) ? problems.map(String) : [error.message] }
  }
}

// Models that must fill every field write null into the one of text and data that they do not use.
function withoutNulls(authored: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (authored.text === null) {
    const { text, ...rest } = authored
    return rest
  }
  if (authored.data !== null || typeof authored.text !== 'string') return authored
  const { data, ...rest } = authored
  return rest
}

function dataProblems({ data, metadata }: Part, { domainDataSchema, coordinates }: RespondOptions): string[] {
  if (metadata.partType === 'domain-data' && domainDataSchema !== undefined) {
    return schemaProblems(domainDataSchema, data, 'data')
  }
  if (metadata.partType !== 'setState' || coordinates === undefined || !isObject(data)) return []
  return Object.keys(data)
    .filter((coordinate) => !coordinates.includes(coordinate))
    .map((coordinate) => `There is no coordinate '${coordinate}'. There are: ${coordinates.join(', ') || 'none'}.`)
}
