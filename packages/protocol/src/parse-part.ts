import { BeachError, partTypeRegistry, type AuthoredPart, type Part } from '@cool-ai/beach-core'
import { peerOrigin } from '@cool-ai/beach-core/ports'
import type { PartContext, PartTypeEntry } from '@cool-ai/beach-core/registries'
import { defined } from '@cool-ai/beach-core/runtime'
import { inSingleMessages } from './a2ui-messages.ts'
import { authoredPartSchema } from './part-schema.ts'
import { problemsOf } from './problems.ts'
import { surfaceProblems } from './surfaces.ts'

/** What is asked of a registry of part types by code that only looks things up. */
export interface PartTypeLookup {
  get(partType: string): PartTypeEntry | undefined
  ids(): string[]
}

/** The wire form of what an author wrote, when it is well-formed, registered and right by its type's own rules. */
export function parsePart(value: unknown, registry: PartTypeLookup = partTypeRegistry, context?: PartContext): Part {
  const part = wellFormed(value)
  const problems = partProblems(part, registry, context)
  if (problems.length > 0) throw invalidPart(problems)
  return part.metadata.partType === 'a2ui-surface' ? inSingleMessages(part) : part
}

/** The same for what an actor says. It may pass on a peer's part of a type that only the peer knows. */
export function parseSaidPart(
  value: unknown,
  registry: PartTypeLookup = partTypeRegistry,
  context?: PartContext,
): Part {
  const part = wellFormed(value)
  const problems = partProblems(part, registry, context, peerOrigin(part) !== undefined)
  if (problems.length > 0) throw invalidPart(problems)
  return part.metadata.partType === 'a2ui-surface' ? inSingleMessages(part) : part
}

function wellFormed(value: unknown): Part {
  const result = authoredPartSchema.safeParse(value)
  if (!result.success) throw invalidPart(problemsOf(result.error, 'part'))
  return toWirePart(result.data)
}

/** What is wrong with a part in wire form, one sentence each. The type of a peer's part need not be registered. */
export function partProblems(
  part: Part,
  registry: PartTypeLookup = partTypeRegistry,
  context?: PartContext,
  isOfPeer = false,
): readonly string[] {
  const { partType } = part.metadata
  const entry = registry.get(partType)
  if (entry === undefined && !isOfPeer) {
    return [`The part type '${partType}' is not registered. Registered are: ${registry.ids().join(', ')}.`]
  }
  if (part.text === undefined && part.data === undefined) return ['A part needs a text or data.']
  const own = entry?.validate?.(part, context) ?? []
  // Not a rule of the type itself, so that an amendment of the type cannot remove it.
  return partType === 'a2ui-surface' ? [...surfaceProblems(part), ...own] : own
}

function invalidPart(problems: readonly string[]): BeachError {
  return new BeachError('INVALID_PART', problems.join('\n'), { details: { problems } })
}

/** A part in the author's form: `partType` stands on the part, the rest of the metadata under `metadata`. */
export interface ShorthandPart {
  readonly partType: string
  readonly text?: string
  readonly data?: unknown
  readonly metadata?: Readonly<Record<string, unknown>>
}

/** The part in wire form, whichever form its author wrote; keys that belong to neither form are left behind. */
export function toWirePart(authored: AuthoredPart | Partial<ShorthandPart>): Part {
  const { text, data } = authored
  const named = 'partType' in authored ? authored.partType : undefined
  const tagged = authored.metadata?.partType
  const partType = named ?? tagged
  if (typeof partType !== 'string' || partType === '') {
    throw new BeachError('INVALID_PART', 'A part needs a partType, on the part itself or in its metadata.')
  }
  if (named !== undefined && tagged !== undefined && named !== tagged) {
    throw new BeachError(
      'INVALID_PART',
      `A part says that its partType is '${named}' and, in its metadata, ${JSON.stringify(tagged)}.`,
    )
  }
  const metadata = { ...authored.metadata, partType }
  if (text === undefined) return data === undefined ? { metadata } : { data, metadata }
  return data === undefined ? { text, metadata } : { text, data, metadata }
}

/** The part in the author's form; `toWirePart` gives the same part back. */
export function toShorthand(part: Part): ShorthandPart {
  const { partType, ...metadata } = part.metadata
  return {
    partType,
    ...defined({ text: part.text, data: part.data }),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  }
}
