import { inboundParts } from '@cool-ai/beach-channel/live'
import { BeachError, type Part, type PartTypeRegistry } from '@cool-ai/beach-core'
import { approvalAnswerIn } from '@cool-ai/beach-protocol'
import { own } from './inbound.ts'
import type { RunInput } from './run-input.ts'

/** Parts that the client gives in their own form, in `forwardedProps.beach.parts`: of any type that may come in. */
export function givenParts(
  { forwardedProps, runId }: RunInput,
  partTypes: PartTypeRegistry,
  handledNamespaces: ReadonlySet<string>,
): Part[] {
  const given = own(own(forwardedProps, 'beach'), 'parts')
  if (given === undefined) return []
  const parts = inboundParts(given, partTypes)
  // Before anything is done: of a run that is refused nothing counts.
  approvalAnswerIn(parts)
  for (const { metadata } of parts) {
    const [ns = ''] = metadata.partType.split('.', 1)
    if (!handledNamespaces.has(ns)) continue
    throw new BeachError('BAD_REQUEST', `What is for '${ns}' is no message: put it into \`forwardedProps.${ns}\`.`)
  }
  return parts.map((part) => ({ ...part, metadata: { ...part.metadata, agui: { runId } } }))
}

/** True for a part that decides an approval. */
export function isResponse({ metadata }: Part): boolean {
  return metadata.partType === 'approval-response'
}
