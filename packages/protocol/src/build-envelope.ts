import {
  BeachError,
  systemClock,
  turnStates,
  type AuthoredPart,
  type Clock,
  type Envelope,
  type EnvelopeMeta,
  type MergeStrategy,
  type Part,
  type TurnStateRegistry,
} from '@cool-ai/beach-core'
import type { TurnStateEntry } from '@cool-ai/beach-core/registries'
import { defined } from '@cool-ai/beach-core/runtime'
import { inSingleMessages } from './a2ui-messages.ts'
import { assembleParts } from './assemble-parts.ts'
import { toWirePart } from './parse-part.ts'
import type { SurfaceOptions } from './surfaces.ts'
import { turnStateOf, type TurnStateNames } from './turn-state.ts'

/** What an envelope is made of. One of `turnId` and `eventId` is needed; the turn is complete unless a state is given. */
export interface EnvelopeInput extends TurnStateNames {
  readonly sessionId: string
  readonly turnId?: string
  readonly eventId?: string
  readonly originatorId?: string
  /** What the actor says now. */
  readonly parts: readonly AuthoredPart[]
  /** What the turn's mailbox holds from before. */
  readonly mailbox?: readonly AuthoredPart[]
  /** The slot that the domain data is for; parts that name their own keep it. */
  readonly slotKey?: string
  readonly mergeStrategy?: MergeStrategy
  /** The translation for peers' models, where one of them wants it. */
  readonly llmContext?: string
  /** How the turn ended, when no actor declared it. */
  readonly finalizedBy?: string
}

/** How an envelope is built. */
export interface EnvelopeOptions extends SurfaceOptions {
  readonly turnStates?: TurnStateRegistry | undefined
  readonly clock?: Clock | undefined
}

/**
 * Builds an envelope. In a state that emits envelopes it is assembled whole: data collected, surfaces added. In any
 * other state it holds what is said now, and nothing is collected.
 */
export function buildEnvelope(input: EnvelopeInput, options: EnvelopeOptions = {}): Envelope {
  const state = stateOf(input, options.turnStates ?? turnStates)
  return {
    role: 'agent',
    parts: assembleParts(input, wireParts(input, state), state.emitsEnvelope, options),
    meta: metaOf(input, state, options.clock ?? systemClock),
  }
}

function wireParts({ mailbox = [], parts }: EnvelopeInput, state: TurnStateEntry): Part[] {
  const all = state.emitsEnvelope && mailbox.length > 0 ? [...mailbox, ...parts] : parts
  return all.map((part) => inSingleMessages(toWirePart(part)))
}

function stateOf(input: EnvelopeInput, registry: TurnStateRegistry): TurnStateEntry {
  const id = turnStateOf(input) ?? 'complete'
  const state = registry.get(id)
  if (state !== undefined) return state
  throw new BeachError(
    'INVALID_STATE',
    `The turn state '${id}' is not registered. Registered are: ${registry.ids().join(', ')}.`,
  )
}

function metaOf(input: EnvelopeInput, state: TurnStateEntry, clock: Clock): EnvelopeMeta {
  const { sessionId, eventId, originatorId, turnId = eventId } = input
  if (turnId === undefined) throw new BeachError('BAD_REQUEST', 'An envelope needs a turnId or an eventId.')
  const finalizedBy = input.finalizedBy ?? (state.isTerminal ? state.id : undefined)
  const producedAt = new Date(clock.now()).toISOString()
  return defined({ sessionId, turnId, eventId, originatorId, producedAt, turnState: state.id, finalizedBy })
}
