import type { Principal } from '@cool-ai/beach-core'
import { principalKey, type HandleContext, type HandleOutcome } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import { FlowError } from '../schemas/flow-error.ts'
import type { Values } from '../schemas/json-problem.ts'
import type { RenderPayload, DismissReason } from '../schemas/server-payloads.ts'
import type { ActiveFlows } from '../state/flow-instance.ts'
import { askAction } from './ask-action.ts'
import type { Confirmation, EndedInstance, FlowsState } from './flows-state.ts'
import { handleClientRequest, wakes } from './handle-client-request.ts'
import type { Cause } from './event-batch.ts'
import { keptResult, type InstanceChanges } from './instance-changes.ts'
import { openFlow, type FlowOpening } from './open-flow.ts'
import { updateProps } from './update-props.ts'
import type { PropsChange } from '../definition/event-handlers.ts'
import type { ActionRequest } from '../schemas/action-payload.ts'

export interface FlowsView {
  readonly flows: ActiveFlows
  readonly ended: readonly EndedInstance[]
  readonly owner?: Principal | undefined
  readonly clients: Readonly<Record<string, string>>
  /** The instances of which something is being worked on. */
  readonly busy: readonly string[]
}

const confirmWithinMs = 10 * 60 * 1_000

/** What the program itself says. What cannot be done is thrown: nothing is written then. */
export function takeOwnInput(moves: InstanceChanges, request: OwnRequest, context: HandleContext): HandleOutcome {
  const before = moves.writing.state
  if (request.kind === 'owner') {
    // A link is the owner's: what is said by it counts as said by the owner.
    if (before.owner === undefined) throw new FlowError('INSTANCE_NOT_FOUND')
    return handleClientRequest(moves, request.said, before.owner)
  }
  const answer = take(moves, request, context)
  const after = moves.writing.state
  const eventId = pendingId(answer)
  const awaits = eventId !== undefined && after.work.some((work) => work.eventId === eventId) ? [eventId] : []
  return {
    drafts: moves.writing.drafts(),
    reply: defined({ answer, awaits: awaits.length > 0 ? awaits : undefined }),
    wakes: wakes(before, after, moves.rules),
  }
}

function pendingId(answer: unknown): string | undefined {
  return (answer as { readonly eventId?: string } | undefined)?.eventId
}

function take(
  moves: InstanceChanges,
  request: Exclude<OwnRequest, { kind: 'owner' }>,
  { by, id }: HandleContext,
): unknown {
  const cause: Cause = { by, eventId: id('sev'), depth: 0 }
  switch (request.kind) {
    case 'look':
      return lookOf(moves.writing.state)
    case 'open':
      return open(moves, request.opening, request.isPrepared === true)
    case 'send': {
      const { instanceId, event } = request
      const flow = moves.rules.definitionOf(moves.instance(instanceId))
      const payload = moves.rules.payloadOf(flow, event, request.payload)
      moves.move(instanceId, { event, payload }, cause)
      return { eventId: cause.eventId }
    }
    case 'update':
      return updateProps(moves, request.instanceId, request.change, cause)
    case 'dismiss': {
      const { instanceId, reason, result } = request
      return moves.dismiss(instanceId, reason, cause, { result })
    }
    case 'action':
      return { actionId: askAction(moves, request.request, cause) }
    case 'propose':
      return propose(moves, request, by)
    case 'confirm':
      return confirm(moves, request, by)
  }
}

function lookOf({ flows, ended, owner, clients, work }: FlowsState): FlowsView {
  const busy = work.flatMap((one) => (one.kind === 'handle' ? one.instanceId : (one.parentInstanceId ?? [])))
  return { flows, ended, clients, busy: [...new Set(busy)], owner }
}

/** Opens a flow; one of the same instance that is there already is the same. */
function open(moves: InstanceChanges, opening: FlowOpening, isPrepared: boolean): { readonly render?: RenderPayload } {
  const { instanceId } = opening
  const { flows, ended, prepared } = moves.writing.state
  const earlier = prepared.find((one) => one.instanceId === instanceId)
  if (earlier !== undefined) return { render: earlier }
  const isThere = instanceId !== undefined && Object.hasOwn(flows, instanceId)
  if (isThere || ended.some((one) => one.instanceId === instanceId)) return {}
  return { render: openFlow(moves, opening, { isPrepared }) }
}

/** Keeps an event until its owner confirms it; only that principal can, once, and only while nothing else has changed. */
function propose(
  moves: InstanceChanges,
  request: Extract<OwnRequest, { kind: 'propose' }>,
  by: Principal,
): Confirmation {
  const { instanceId, event } = request
  const instance = moves.usable(instanceId)
  const flow = moves.rules.definitionOf(instance)
  moves.rules.permit(flow, by)
  const payload = moves.rules.payloadOf(flow, event, request.payload)
  // Tried out, so that the user is not asked to confirm what cannot be done.
  const trial = moves.writing.fork()
  moves.on(trial).move(instanceId, { event, payload }, { by, eventId: request.eventId, depth: 0 })
  const { now, id } = moves.writing.context
  const bound = { by: principalKey(by), seq: instance.seq, expiresAt: now + confirmWithinMs }
  const confirmation = defined({ confirmationId: id('confirm'), instanceId, event, payload, ...bound })
  moves.writing.note({ confirmation })
  return confirmation
}

function confirm(
  moves: InstanceChanges,
  { instanceId, confirmationId }: Extract<OwnRequest, { kind: 'confirm' }>,
  by: Principal,
): { readonly eventId: string; readonly seq: number } {
  const { state, context } = moves.writing
  const asked = state.confirmations.find((one) => one.confirmationId === confirmationId)
  const isTheirs = asked?.by === principalKey(by) && asked.instanceId === instanceId
  if (asked === undefined || !isTheirs || asked.expiresAt <= context.now) {
    throw new FlowError(
      'INVALID_TRANSITION',
      'There is nothing to confirm by this, or not any more. Each is good once.',
      {
        instanceId,
      },
    )
  }
  const instance = moves.usable(instanceId)
  moves.rules.permit(moves.rules.definitionOf(instance), by)
  if (instance.seq !== asked.seq) {
    const message = 'The flow has changed since you were asked. Look at it, and send the event again.'
    const details = { expectedSeq: asked.seq, seq: instance.seq }
    throw new FlowError('STATE_CONFLICT', message, { instanceId, details })
  }
  const { event, payload } = asked
  const book = { confirmed: confirmationId, ...keptResult(confirmationId, context.now, instanceId) }
  moves.move(instanceId, { event, payload, book }, { by, eventId: confirmationId, depth: 0 })
  return { eventId: confirmationId, seq: instance.seq + 1 }
}

export type OwnRequest =
  | { readonly kind: 'look' }
  /** Shows a flow, or prepares it for a turn to say. */
  | { readonly kind: 'open'; readonly opening: FlowOpening; readonly isPrepared?: boolean }
  | {
      readonly kind: 'send'
      readonly instanceId: string
      readonly event: string
      readonly payload?: Values | undefined
    }
  | { readonly kind: 'update'; readonly instanceId: string; readonly change: PropsChange }
  | {
      readonly kind: 'dismiss'
      readonly instanceId: string
      readonly reason: DismissReason
      readonly result?: Values | undefined
    }
  | { readonly kind: 'action'; readonly request: ActionRequest }
  /** What a client could say, for the owner of the session: by a link. */
  | { readonly kind: 'owner'; readonly said: unknown }
  /** A caller other than the user wants an event that the user must confirm. */
  | {
      readonly kind: 'propose'
      readonly instanceId: string
      readonly event: string
      readonly payload?: Values | undefined
      readonly eventId: string
    }
  | { readonly kind: 'confirm'; readonly instanceId: string; readonly confirmationId: string }

/** An input of the program's own. Nothing that comes as JSON can be one. */
export interface OwnInput {
  readonly request: OwnRequest
}

const own = new WeakSet<object>()

export function ownInput(request: OwnRequest): OwnInput {
  const input = { request }
  own.add(input)
  return input
}

export function isOwnInput(said: unknown): said is OwnInput {
  return typeof said === 'object' && said !== null && own.has(said)
}
