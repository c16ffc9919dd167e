import { BeachError, type Inbound, type Part, type Principal } from '@cool-ai/beach-core'
import { sliceState, type Admit, type EventDraft, type SessionState } from '@cool-ai/beach-core/log'
import type { ApprovalAnswer, SessionPeers } from '@cool-ai/beach-core/ports'
import { approvalAnswerIn, isApprovalAction } from '@cool-ai/beach-protocol/parts'
import { offerDrafts } from '../clients/client-slice.ts'
import { deliverySlice } from '../delivery/delivery-slice.ts'
import { keepParts, repeatedPress } from '../surfaces/take-actions.ts'
import { turnSlice } from './turn-slice.ts'
import type { ViewerLimits } from '../feed/viewer.ts'

/** A session's limits; what is left out has a default. */
export interface SessionLimits {
  /** Messages that may wait for a turn. */
  readonly mailbox?: number | undefined
  /** Turns that a session may have in all. */
  readonly turns?: number | undefined
  /** Originators that may be in a session at the same time. */
  readonly originators?: number | undefined
  /** The largest message, and the largest part of an actor. */
  readonly eventBytes?: number | undefined
  /** Turns that this process runs at the same time; further ones wait. */
  readonly concurrentTurns?: number | undefined
  /** What may wait for a viewer that does not read. */
  readonly viewer?: ViewerLimits | undefined
}

export const defaultLimits = {
  mailbox: 100,
  turns: 100_000,
  originators: 50,
  eventBytes: 256_000,
  concurrentTurns: 200,
} as const satisfies SessionLimits

/** `queue`: it waits for the next turn; `interrupt`: it cancels the turn that runs; `reject`: it is refused. */
export type WhileBusy = 'queue' | 'interrupt' | 'reject'

export interface AdmissionRules {
  readonly limits?: SessionLimits | undefined
  readonly whileBusy?: WhileBusy | undefined
  /** Refuses, by throwing, what a principal may not ask for. */
  readonly authorise?: ((inbound: Inbound, by: Principal) => void) | undefined
  /** The agents that this one asks. */
  readonly peers?: Pick<SessionPeers, 'scopesOf'> | undefined
}

/**
 * Admits a message, unless it is an action that was sent before; refuses, by throwing, a message that the session
 * cannot take now.
 */
export function admission(rules: AdmissionRules): Admit {
  const max = rules.limits?.eventBytes ?? defaultLimits.eventBytes
  return function admit(state, inbound, by) {
    const isAction = inbound.parts.some(({ metadata }) => metadata.partType === 'a2ui-action')
    const repeats = isAction ? repeatedPress(state, inbound) : undefined
    if (repeats !== undefined) return { repeats }
    rules.authorise?.(inbound, by)
    const bytes = Buffer.byteLength(JSON.stringify(inbound.parts))
    if (bytes > max) {
      const message = `The message has ${bytes} bytes; ${max} are allowed. Send less, or send a file.`
      throw new BeachError('TOO_LARGE', message)
    }
    const { recent } = sliceState(turnSlice, state)
    if (recent.some(({ turnId, isWithdrawn }) => turnId === inbound.answers && isWithdrawn === true)) {
      throw new BeachError('TURN_CLOSED', 'This question was withdrawn. Send a new message instead of an answer.')
    }
    checkOriginators(state, inbound.from.id, rules.limits)
    const offered = inbound.offer === undefined ? [] : offerDrafts(state, inbound.from.id, inbound.offer)
    const drafts = [...whenBusy(state, by, rules), ...offered]
    return { parts: isAction ? keepParts(state, inbound.parts, rules.peers) : inbound.parts, drafts }
  }
}

/** What a message does to the turn that runs. */
function whenBusy(state: SessionState, by: Principal, { limits, whileBusy = 'queue' }: AdmissionRules): EventDraft[] {
  const { mailbox, turn, turns } = sliceState(turnSlice, state)
  const { turns: maxTurns = defaultLimits.turns, mailbox: maxWaiting = defaultLimits.mailbox } = limits ?? {}
  if (turns >= maxTurns) {
    throw new BeachError('SESSION_FULL', `This session has had ${turns} turns, as many as it may. Open a new one.`)
  }
  // Results of work in parallel to turns take no message's place.
  if (mailbox.filter(({ actor }) => actor === undefined).length >= maxWaiting) {
    throw new BeachError(
      'MAILBOX_FULL',
      `${maxWaiting} messages already wait in this session. Wait for an answer first.`,
    )
  }
  if (turn === undefined || turn.cancelled || whileBusy === 'queue') return []
  if (whileBusy === 'interrupt') return [{ type: 'cancelRequested', turnId: turn.turnId, payload: { by } }]
  throw new BeachError('TURN_RUNNING', 'A turn is under way. Wait until it has settled, or cancel it.')
}

/** Refuses an originator for whom there is no room. */
export function checkOriginators(state: SessionState, originatorId: string, limits?: SessionLimits): void {
  const { originators } = sliceState(deliverySlice, state)
  const max = limits?.originators ?? defaultLimits.originators
  if (Object.hasOwn(originators, originatorId) || Object.keys(originators).length < max) return
  throw new BeachError('TOO_MANY', `${max} originators are in this session already. One of them must leave first.`)
}

/** What inbound parts are. */
type InboundKind =
  | { readonly kind: 'message' }
  | { readonly kind: 'slice'; readonly ns: string; readonly said: unknown }
  /** A decision in an `approval-response` part. */
  | { readonly kind: 'response'; readonly answer: ApprovalAnswer }
  /** An action on the surface of an approval; the surface tells which decision it is. */
  | { readonly kind: 'action' }

/** Tells what parts are. Parts for a slice, and parts that decide, are no message: they come alone. */
export function inboundKind(parts: readonly Part[], handledNamespaces: ReadonlySet<string>): InboundKind {
  const ns = handledNamespaces.size === 0 ? undefined : namespaceOf(parts, handledNamespaces)
  if (ns !== undefined) return { kind: 'slice', ns, said: { events: parts.map(customEvent) } }
  const types = new Set(parts.map(({ metadata }) => metadata.partType))
  const answer = types.has('approval-response') ? approvalAnswerIn(parts) : undefined
  if (answer !== undefined) return { kind: 'response', answer }
  const decides = types.has('a2ui-action') && parts.some(isApprovalAction)
  return { kind: decides ? 'action' : 'message' }
}

/** The slice that parts are for, by the namespace of their type. */
function namespaceOf(parts: readonly Part[], handledNamespaces: ReadonlySet<string>): string | undefined {
  const all = new Set(parts.map(({ metadata }) => metadata.partType.split('.', 1)[0] ?? ''))
  const ns = [...all].find((one) => handledNamespaces.has(one))
  if (ns !== undefined && all.size > 1) {
    throw new BeachError('BAD_REQUEST', `Parts of '${ns}' do not belong in a message: send them alone.`)
  }
  return ns
}

/** A part as input of a slice: the same as by AG-UI. */
function customEvent({ text, data, metadata }: Part) {
  return { type: 'CUSTOM', name: metadata.partType, value: data ?? text ?? null }
}
