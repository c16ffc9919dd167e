import type { Part, PartData, PartType } from '@cool-ai/beach-core'
import type { SchemaData } from './envelope-part-types.ts'

type PartAs<Type extends string, Data> = Part & { readonly partType: Type; readonly data: Data }

type DeclaredPart<Type extends PartType> = Type extends PartType ? PartAs<Type, PartData<Type>> : never

/**
 * A part as readers get it: the wire form, with `partType` also on the part itself; its data has the type's type after a
 * check of it. What people say has the type `message`.
 */
// The schemas are named so that a program that imports this file alone has their types.
export type ReaderPart = DeclaredPart<PartType | keyof SchemaData> | PartAs<'message', unknown>

/** The part with its `partType` next to the metadata that holds it. */
export function toReaderPart(part: Part): ReaderPart {
  // What a registry has checked on its way out is of its type; a type that is not declared here is still delivered.
  return { ...part, partType: part.metadata.partType } as ReaderPart
}
