import type { Part } from '@cool-ai/beach-core'
import { citationSchema, type Citation } from './citation.ts'
import { collectDomainData, type DomainData } from './domain-data.ts'
import { pointerTo, resolvePointer, type Resolved } from './json-pointer.ts'
import { isPlainObject } from './plain-value.ts'

/** A citation with what it points at in the domain data of the same parts. */
export interface ResolvedCitation {
  readonly citation: Citation
  readonly target: Resolved
}

/** The citations among an envelope's parts, each resolved from the one object that its domain data makes. */
export function resolveCitations(parts: readonly Part[]): ResolvedCitation[] {
  const object = collectDomainData(parts)
  return parts.flatMap((part) => {
    if (part.metadata.partType !== 'citation') return []
    const citation = citationSchema.safeParse(part.data)
    return citation.success ? [{ citation: citation.data, target: resolvePointer(object, citation.data.path) }] : []
  })
}

/** The citation with its path inside the slot, when the data it points at is put into that slot as a whole. */
export function relocateCitation(part: Part, slotKey: string | undefined, data: DomainData): Part {
  if (slotKey === undefined || part.metadata.partType !== 'citation' || !isPlainObject(part.data)) return part
  const { path } = part.data
  if (typeof path !== 'string' || !data.isPlain(firstToken(path))) return part
  return { ...part, data: { ...part.data, path: `${pointerTo('', slotKey)}${path}` } }
}

function firstToken(pointer: string): string {
  const token = pointer.split('/', 2)[1] ?? ''
  return token.replaceAll('~1', '/').replaceAll('~0', '~')
}
