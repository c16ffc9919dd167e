import { isObject, mapSubschemas, type JsonSchema } from '@cool-ai/beach-protocol/json-schema'

/** A schema as it can stand inside another: what stands in its place, and the definitions for the other's root. */
export interface EmbeddedSchema {
  readonly schema: JsonSchema
  readonly $defs?: JsonSchema
}

/** Makes a schema part of a greater one, whose root its references then start from. */
export function embedSchema(schema: JsonSchema, name: string): EmbeddedSchema {
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
