import type { Principal } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import type { Flow } from '../definition/flow.ts'
import type { Hydrated } from '../definition/hydrator.ts'
import { FlowError } from '../schemas/flow-error.ts'
import { flowLimits, recordProblem } from '../schemas/json-problem.ts'
import type { RenderPayload } from '../schemas/server-payloads.ts'
import type { Book } from './flows-state.ts'
import type { InstanceChanges } from './instance-changes.ts'

/** A flow that is to be shown, once its props are known. */
export interface FlowOpening {
  readonly intentId: string
  readonly version: string
  readonly hydrated: Hydrated<unknown>
  readonly by: Principal
  /** Given where the same opening may be asked for twice. */
  readonly instanceId?: string | undefined
  readonly parentInstanceId?: string | undefined
  /** The client's event that asked for it. */
  readonly inReplyTo?: string | undefined
}

/** Shows a flow, or has it prepared for a turn to say; the payload of its render. */
export function openFlow(
  moves: InstanceChanges,
  opening: FlowOpening,
  { isPrepared = false, book = {} }: { readonly isPrepared?: boolean; readonly book?: Book } = {},
): RenderPayload {
  const { flow } = moves.rules.registered(opening.intentId, opening.version)
  moves.rules.permit(flow, opening.by)
  const payload = renderOf(moves, flow, opening)
  if (isPrepared) moves.prepare(payload)
  else moves.render(payload, book)
  return payload
}

function renderOf(moves: InstanceChanges, flow: Flow, opening: FlowOpening): RenderPayload {
  const { now, id } = moves.writing.context
  const { meta, machine } = flow
  const { hydrated, instanceId = id('flow'), parentInstanceId, inReplyTo } = opening
  const props = checkedProps(flow, hydrated.props)
  const { version, shown } = moves.rules.forClient(flow, props, moves.writing.state.clients[flow.intentId])
  const { state, context } = machine.initial({ ...flow.context(props), ...hydrated.context })
  const contextProblem = recordProblem(context, flowLimits.contextBytes)
  if (contextProblem !== undefined)
    throw new FlowError('HYDRATION_FAILED', `The context of the flow ${contextProblem}.`)
  const { initialState } = hydrated
  if (initialState !== undefined && (!machine.states.includes(initialState) || machine.isFinal(initialState))) {
    throw new FlowError('HYDRATION_FAILED', `The flow cannot begin in the state “${initialState}”.`)
  }
  return defined({
    v: 1 as const,
    eventId: id('fev'),
    at: now,
    seq: 0,
    inReplyTo,
    intentId: flow.intentId,
    instanceId,
    version,
    props: shown,
    initialState,
    state: initialState ?? state,
    context: { ...context },
    displayMode: meta.displayMode,
    priority: meta.priority,
    dismissable: meta.dismissable,
    streaming: meta.streaming ? true : undefined,
    parentInstanceId,
    expiresAt: meta.expiresInMs === undefined ? undefined : now + meta.expiresInMs,
  })
}

/** The props as the flow's schema reads them, if they can be stored and sent. */
function checkedProps(flow: Flow, given: unknown): Record<string, unknown> {
  const parsed = flow.schema.safeParse(given)
  if (!parsed.success) throw new FlowError('INVALID_PROPS', parsed.error, { details: { intentId: flow.intentId } })
  const problem = recordProblem(parsed.data, flowLimits.propsBytes)
  if (problem !== undefined) throw new FlowError('INVALID_PROPS', `The props of ${flow.meta.title}: this ${problem}.`)
  return parsed.data
}
