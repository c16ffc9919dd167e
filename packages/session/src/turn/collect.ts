import type { Logger, Originator, Part, TurnState } from '@cool-ai/beach-core'
import { sliceState, type SessionState } from '@cool-ai/beach-core/log'
import type { Note } from '@cool-ai/beach-core/ports'
import {
  approvalRequestSchema,
  buildEnvelope,
  contextLanguages,
  contextPart,
  defaultLanguage,
  surfaceOf,
  surfaceProblems,
  type DroppedSurface,
  type LlmContextTranslator,
  type SurfaceOptions,
} from '@cool-ai/beach-protocol/parts'
import { deliverySlice, getsTurn } from '../delivery/delivery-slice.ts'
import type { EnvelopeOfOptions } from './envelope-of.ts'
import { turnSlice } from './turn-slice.ts'

/** The part types that have templates; no others do. */
const templated: ReadonlySet<string> = new Set(['approval-request', 'domain-data'])

/** What the collector adds to a step. */
export interface Collected {
  readonly parts: readonly Part[]
  /** For those of them that are surfaces of requests: the approvals that they may decide. */
  readonly approvals: ReadonlyMap<Part, string>
  /** For the log: the surfaces that templates made and that were invalid. */
  readonly notes: readonly Note[]
}

/**
 * What the collector adds to a step: the surface of each approval request, so that it can be answered where it is seen,
 * and, when the turn emits its envelope, the surfaces that templates make of all its data.
 */
export function collect(
  step: { sessionId: string; turnId: string; turnState: TurnState; parts: readonly Part[] },
  before: readonly Part[],
  { runtime, turnStates, partTypes, templates }: EnvelopeOfOptions,
): Collected {
  const { parts, ...place } = step
  const notes: Note[] = []
  const onDropped = (dropped: DroppedSurface) => notes.push({ kind: 'dropped-part', value: dropped })
  const { clock, logger } = runtime
  const noting = { turnStates, partTypes, templates, clock, logger, onDropped }
  const emits = turnStates.get(step.turnState)?.emitsEnvelope === true
  const all = emits ? [...before, ...parts] : parts
  if (!all.some(({ metadata }) => templated.has(metadata.partType))) return { parts: [], approvals: new Map(), notes }
  if (!emits) return { ...requestSurfaces(parts, noting), notes }
  const envelope = buildEnvelope({ ...place, mailbox: before, parts }, noting)
  const said = new Set(all.map((part) => part.data))
  const surfaces = envelope.parts.filter((part) => part.metadata.partType === 'a2ui-surface' && !said.has(part.data))
  return { parts: surfaces.filter((part) => isAllowed(part, logger)), approvals: new Map(), notes }
}

function requestSurfaces(parts: readonly Part[], options: SurfaceOptions): Omit<Collected, 'notes'> {
  const approvals = new Map<Part, string>()
  for (const part of parts) {
    const isRequest = part.metadata.partType === 'approval-request'
    const request = isRequest ? approvalRequestSchema.safeParse(part.data).data : undefined
    if (request === undefined) continue
    for (const surface of surfaceOf(part, options)) approvals.set(surface, request.approvalId)
  }
  return { parts: [...approvals.keys()], approvals }
}

/** A template of data is the application's, but the data may be foreign: it decides no approvals either. */
function isAllowed(surface: Part, logger: Logger): boolean {
  const problems = surfaceProblems(surface)
  if (problems.length > 0) logger.log('error', 'a surface template made an invalid surface', { problems })
  return problems.length === 0
}

/** What a turn needs of a translator. */
export type Translates = Pick<LlmContextTranslator, 'translate' | 'language'>

/** What makes llm-context, and the language of the agent's own. */
export interface Translating {
  readonly translator: Translates
  readonly llmContextLanguage?: string | undefined
}

/**
 * The translations for peers' models, in each language that one of them wants: only when one of them asked, and the actor
 * has not written it itself.
 */
export async function llmContext(
  said: readonly Part[],
  state: SessionState,
  { turnId, signal }: { readonly turnId: string; readonly signal: AbortSignal },
  { translator, llmContextLanguage = translator.language ?? defaultLanguage }: Translating,
): Promise<Part[]> {
  if (said.some((part) => part.metadata.partType === 'llm-context')) return []
  const languages = contextLanguages(listeners(state), llmContextLanguage)
  const texts = await Promise.all(
    languages.map((language) => translator.translate({ turnId, parts: said, language }, signal)),
  )
  const made = languages.filter((_, index) => texts[index] !== undefined)
  return languages.flatMap((language, index) => {
    const text = texts[index]
    return text === undefined ? [] : [contextPart(text, language, made)]
  })
}

/** The originators that the turn answers, and those that get everything. */
function listeners(state: SessionState): Originator[] {
  const { originators } = sliceState(deliverySlice, state)
  const { originators: answered = [], approvals = [] } = sliceState(turnSlice, state).turn ?? {}
  const asksApproval = approvals.length > 0
  return Object.entries(originators).flatMap(([id, entry]) => {
    return getsTurn(entry, { isAnswered: answered.includes(id), asksApproval }) ? (entry.originator ?? []) : []
  })
}
