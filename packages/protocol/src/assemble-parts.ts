import type { MergeStrategy, Part } from '@cool-ai/beach-core'
import { relocateCitation } from './citations.ts'
import { DomainData } from './domain-data.ts'
import type { MergeLimits } from './merge-budget.ts'
import { isPeerWords } from './peer-words.ts'
import { isPlainObject } from './plain-value.ts'
import { dataSurfaces, shownSurfaces, surfaceOf, type SurfaceOptions } from './surfaces.ts'

/** What the builder is told about the domain data and for peers. */
export interface Assembly {
  readonly slotKey?: string
  readonly mergeStrategy?: MergeStrategy
  readonly llmContext?: string
}

/** The parts of an envelope: those that were said, the data as one, the translation, and surfaces. */
export function assembleParts(
  input: Assembly,
  parts: readonly Part[],
  isWhole: boolean,
  options: SurfaceOptions,
): Part[] {
  const said = withStrategy(lasting(parts, options), input.mergeStrategy)
  const assembled = isWhole ? collected(input, said, options.mergeLimits) : said.map((part) => stamped(part, input))
  const surfaces = isWhole ? dataSurfaces(said, options) : []
  return withApprovalSurfaces(assembled, options).concat(context(input, said), surfaces)
}

/**
 * Without what is gone once it was seen: acknowledgements, thoughts, what peers said on the way, and approvals that were
 * answered, with their surfaces.
 */
function lasting(parts: readonly Part[], options: SurfaceOptions): Part[] {
  const kept = parts.filter((part) => !passing.has(part.metadata.partType) && !isPeerWords(part))
  if (!parts.some((part) => isOfType(part, 'approval-response'))) return kept
  const answered = new Set(parts.filter((part) => isOfType(part, 'approval-response')).map((part) => approvalId(part)))
  const isAnswered = (part: Part) => isOfType(part, 'approval-request') && answered.has(approvalId(part))
  const gone = shownSurfaces(kept.filter(isAnswered).flatMap((part) => surfaceOf(part, options)))
  return kept.filter((part) => !isAnswered(part) && ![...shownSurfaces([part])].some((id) => gone.has(id)))
}

const passing: ReadonlySet<string> = new Set(['ack', 'thinking', 'approval-response'])

/** Parts of one turn with their domain data as an envelope has it: each slot once, by its merge strategy. */
export function convergedParts(parts: readonly Part[]): readonly Part[] {
  return collected({}, parts, undefined)
}

/** The domain data of all parts stands where the first of them stood. */
function collected(input: Assembly, said: readonly Part[], limits: MergeLimits | undefined): readonly Part[] {
  const first = said.findIndex((part) => isOfType(part, 'domain-data'))
  if (first === -1) return said
  const data = new DomainData(limits)
  for (const part of said) if (isOfType(part, 'domain-data')) data.add(part)
  const others = (part: Part) => !isOfType(part, 'domain-data')
  const relocated = (part: Part) => relocateCitation(part, input.slotKey, data)
  return [
    ...said.slice(0, first).map(relocated),
    ...data.parts().map((part) => stamped(part, input)),
    ...said.slice(first).filter(others).map(relocated),
  ]
}

function stamped(part: Part, { slotKey, mergeStrategy = 'replace' }: Assembly): Part {
  if (slotKey === undefined || !isOfType(part, 'domain-data') || part.metadata.slotKey !== undefined) return part
  return { ...part, metadata: { ...part.metadata, slotKey, mergeStrategy } }
}

function withStrategy(parts: readonly Part[], mergeStrategy: MergeStrategy | undefined): readonly Part[] {
  if (mergeStrategy === undefined) return parts
  return parts.map((part) => {
    const { slotKey, mergeStrategy: own } = part.metadata
    if (own !== undefined || slotKey === undefined || !isOfType(part, 'domain-data')) return part
    return { ...part, metadata: { ...part.metadata, mergeStrategy } }
  })
}

function withApprovalSurfaces(parts: readonly Part[], options: SurfaceOptions): readonly Part[] {
  if (!parts.some((part) => isOfType(part, 'approval-request'))) return parts
  return parts.flatMap((part) => (isOfType(part, 'approval-request') ? [part, ...surfaceOf(part, options)] : [part]))
}

function context({ llmContext }: Assembly, said: readonly Part[]): Part[] {
  if (llmContext === undefined || said.some((part) => isOfType(part, 'llm-context'))) return []
  return [{ text: llmContext, metadata: { partType: 'llm-context' } }]
}

function approvalId({ data }: Part): unknown {
  return isPlainObject(data) ? data.approvalId : undefined
}

function isOfType(part: Part, partType: string): boolean {
  return part.metadata.partType === partType
}
