import { defined } from '@cool-ai/beach-core/runtime'
import { actionPayloadSchema, type ActionRequest } from '../schemas/action-payload.ts'
import { FlowError } from '../schemas/flow-error.ts'
import { flowCounts, type PendingAction } from './flows-state.ts'
import type { Cause } from './event-batch.ts'
import type { InstanceChanges } from './instance-changes.ts'

const defaultTimeoutMs = 5 * 60 * 1_000

/** Asks the client to do something with its device; the id of the action. */
export function askAction(moves: InstanceChanges, request: ActionRequest, cause: Cause): string {
  const { now, id } = moves.writing.context
  const { instanceId, responseRequired = false, timeoutMs, action, config } = request
  const { actions } = moves.writing.state
  if (responseRequired && actions.length >= flowCounts.actions) {
    throw new FlowError('RATE_LIMITED', `${actions.length} actions wait for an answer in this conversation.`)
  }
  const actionId = id('action')
  const waits = timeoutMs ?? defaultTimeoutMs
  const { inReplyTo } = cause
  const parsed = actionPayloadSchema.safeParse({
    ...(instanceId === undefined
      ? defined({ v: 1, eventId: id('fev'), at: now, inReplyTo })
      : moves.stamp(instanceId, moves.instance(instanceId), cause)),
    action,
    config,
    responseRequired,
    actionId,
    ...defined({ timeoutMs: responseRequired ? waits : timeoutMs }),
  })
  if (!parsed.success) {
    throw new FlowError('INVALID_PAYLOAD', parsed.error, defined({ instanceId }))
  }
  const asked = pending(request, actionId, now + waits)
  moves.writing.show(
    { type: 'CUSTOM', name: 'intentflow.action', value: parsed.data },
    responseRequired ? { asked } : {},
  )
  return actionId
}

function pending(
  { action, config, instanceId, event }: ActionRequest,
  actionId: string,
  expiresAt: number,
): PendingAction {
  const message = 'reason' in config && typeof config.reason === 'string' ? config.reason : undefined
  return defined({ actionId, action, expiresAt, message, instanceId, event })
}
