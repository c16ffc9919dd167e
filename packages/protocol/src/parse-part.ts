import { BeachError, partTypeRegistry, type Part } from '@cool-ai/beach-core'
import type { PartTypeEntry } from '@cool-ai/beach-core/registries'
import { authoredPartSchema } from './part-schema.ts'
import { problemsOf } from './problems.ts'
import { toWirePart } from './shorthand.ts'
import { surfaceProblems } from './surface-rules.ts'

/** What is asked of a registry of part types by code that only looks things up. */
export interface PartTypeLookup {
  get(partType: string): PartTypeEntry | undefined
  ids(): string[]
}

/** The wire form of what an author wrote, when it is well-formed, registered and right by its type's own rules. */
export function parsePart(value: unknown, registry: PartTypeLookup = partTypeRegistry): Part {
  const result = authoredPartSchema.safeParse(value)
  if (!result.success) throw invalidPart(problemsOf(result.error, 'part'))
  const part = toWirePart(result.data)
  const problems = partProblems(part, registry)
  if (problems.length > 0) throw invalidPart(problems)
  return part
}

/** What is wrong with a part in wire form, one sentence each. */
export function partProblems(part: Part, registry: PartTypeLookup = partTypeRegistry): readonly string[] {
  const { partType } = part.metadata
  const entry = registry.get(partType)
  if (entry === undefined) {
    return [`The part type '${partType}' is not registered. Registered are: ${registry.ids().join(', ')}.`]
  }
  if (part.text === undefined && part.data === undefined) return ['A part needs a text or data.']
  // Not a rule of the type itself, so that an amendment of the type cannot remove it.
  const problems = surfaceProblems(part)
  const own = entry.validate?.(part) ?? []
  return problems.length === 0 ? own : [...problems, ...own]
}

function invalidPart(problems: readonly string[]): BeachError {
  return new BeachError('INVALID_PART', problems.join('\n'), { details: { problems } })
}
