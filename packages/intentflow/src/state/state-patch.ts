import { pointerTo } from '../schemas/json-pointer.ts'
import type { ServerEvent } from '../schemas/server-events.ts'
import { instanceOf } from './apply-server-event.ts'
import type { JsonPatchOperation } from './json-patch.ts'
import { compileOperation } from './operations.ts'

/**
 * What an event of the server changes of `{ activeFlows }`, as JSON Patch. It follows from the event alone; for every
 * event that applyServerEvent takes, both lead to the same.
 */
export function statePatchOf(event: ServerEvent): JsonPatchOperation[] {
  const { instanceId } = event.value
  if (instanceId === undefined) return []
  const root = pointerTo('/activeFlows', instanceId)
  switch (event.name) {
    case 'intentflow.render':
      return [{ op: 'add', path: root, value: instanceOf(event.value) }]
    case 'intentflow.transition': {
      const { toState, context = {}, followUp = null } = event.value
      return [
        { op: 'replace', path: `${root}/state`, value: toState },
        ...members(`${root}/context`, context),
        { op: 'add', path: `${root}/followUp`, value: followUp },
        ...progress(root, event.value),
      ]
    }
    case 'intentflow.props_update': {
      const { patch = {}, operations = [] } = event.value
      return [
        ...members(`${root}/props`, patch),
        ...operations.map((operation) => compileOperation(`${root}/props`, operation)),
        ...progress(root, event.value),
      ]
    }
    case 'intentflow.dismiss':
      return [{ op: 'remove', path: root }]
    case 'intentflow.error':
    case 'intentflow.action':
      return event.value.seq === undefined ? [] : progress(root, event.value)
  }
}

function members(root: string, values: Readonly<Record<string, unknown>>): JsonPatchOperation[] {
  return Object.entries(values).map(([key, value]) => ({ op: 'add', path: pointerTo(root, key), value }))
}

function progress(root: string, { seq, at }: { seq?: number; at?: number }): JsonPatchOperation[] {
  return [
    ...(seq === undefined ? [] : [{ op: 'replace' as const, path: `${root}/seq`, value: seq }]),
    ...(at === undefined ? [] : [{ op: 'replace' as const, path: `${root}/updatedAt`, value: at }]),
  ]
}
