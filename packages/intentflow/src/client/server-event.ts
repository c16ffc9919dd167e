import type { ServerEvent, ServerEventName } from '../schemas/server-events.ts'
import { isRecord, type ReceivedEvent } from './transport.ts'

type Values = Readonly<Record<string, unknown>>

/** What a payload must at least have for anything to be done with it. The server has checked it against its schema. */
const needed: Readonly<Record<ServerEventName, (value: Values) => boolean>> = {
  'intentflow.render': (value) => hasText(value, 'instanceId', 'intentId', 'displayMode') && isRecord(value.props),
  'intentflow.transition': (value) => hasText(value, 'instanceId', 'toState'),
  'intentflow.props_update': (value) =>
    hasText(value, 'instanceId') && (isRecord(value.patch) || Array.isArray(value.operations)),
  'intentflow.dismiss': (value) => hasText(value, 'instanceId', 'reason'),
  'intentflow.error': (value) => hasText(value, 'code', 'message'),
  'intentflow.action': (value) => hasText(value, 'action') && isRecord(value.config),
}

/** An event of flows, if it is one that can be used; undefined for what is none. */
export function serverEventOf({ type, name = '', value }: ReceivedEvent): ServerEvent | undefined {
  if (type !== 'CUSTOM' || !Object.hasOwn(needed, name) || !isRecord(value)) return undefined
  const { seq } = value
  const isUsable = needed[name as ServerEventName](value) && (seq === undefined || Number.isInteger(seq))
  return isUsable ? ({ type, name, value } as unknown as ServerEvent) : undefined
}

function hasText(value: Values, ...names: readonly string[]): boolean {
  return names.every((name) => typeof value[name] === 'string')
}
