import { pointerTo, formatPath, type PathStep } from '../schemas/patch-path.ts'
import { FlowError } from '../schemas/flow-error.ts'
import type { PatchOperation, ServerEvent } from '../schemas/server-payloads.ts'
import { changeProps, hasStep, stepsOf, UnfitOperation } from './change-props.ts'
import { instanceOf } from './apply-server-event.ts'
import type { Values } from '../schemas/json-problem.ts'

type Props = Readonly<Record<string, unknown>>

/**
 * The props after the operations, one after the other; what they do not touch is shared with what was. One that does not
 * fit is an error that names its path, and then none of them counts.
 */
export function applyOperations(props: Props, operations: readonly PatchOperation[]): Record<string, unknown> {
  return fitting(() => changeProps(props, operations))
}

/**
 * The operations in the form in which they are sent: brackets for items of lists, names for members of objects. What a
 * JSON Pointer leaves open is settled by the props that it leads through; its `-` means the end of a list.
 */
export function normalizeOperations(props: Props, operations: readonly PatchOperation[]): PatchOperation[] {
  let value: Props = props
  return fitting(() =>
    operations.map((operation) => {
      const normal = normalize(value, operation)
      value = changeProps(value, [normal])
      return normal
    }),
  )
}

/** The same change as JSON Patch, on what `root` points to. It needs no look at the props. */
export function compileOperation(root: string, operation: PatchOperation): JsonPatchOperation {
  const steps = fitting(() => stepsOf(operation))
  const path = steps.reduce<string>((pointer, each) => pointerTo(pointer, String(each)), root)
  switch (operation.op) {
    case 'delete':
      return { op: 'remove', path }
    case 'append':
      return { op: 'add', path: `${path}/-`, value: operation.value }
    case 'prepend':
      return { op: 'add', path: `${path}/0`, value: operation.value }
    case 'set':
      return { op: typeof steps.at(-1) === 'number' ? 'replace' : 'add', path, value: operation.value }
  }
}

function normalize(props: Props, operation: PatchOperation): PatchOperation {
  const steps = stepsOf(operation)
  const last = steps.length - 1
  let value: unknown = props
  const settled: PathStep[] = []
  for (const [at, each] of steps.entries()) {
    if (at === last && each === '-' && Array.isArray(value) && operation.op === 'set') {
      return { op: 'append', path: formatPath(settled), value: operation.value }
    }
    const settledStep = settle(value, each)
    settled.push(settledStep)
    value = hasStep(value, settledStep) ? Reflect.get(value, settledStep) : undefined
  }
  return { ...operation, path: formatPath(settled) }
}

/** What a step means where it is taken: an index in a list, a name in an object. */
function settle(value: unknown, each: PathStep): PathStep {
  if (!Array.isArray(value)) return String(each)
  return typeof each === 'string' && /^(?:0|[1-9]\d{0,8})$/.test(each) ? Number(each) : each
}

/** What does not fit is an error that clients can be told. */
function fitting<Value>(run: () => Value): Value {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof UnfitOperation)) throw error
    throw new FlowError('INVALID_PAYLOAD', error.message, { details: error.details })
  }
}

/** One operation of RFC 6902, of those that are needed here. */
export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }

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

function members(root: string, values: Values): JsonPatchOperation[] {
  return Object.entries(values).map(([key, value]) => ({ op: 'add', path: pointerTo(root, key), value }))
}

function progress(root: string, { seq, at }: { seq?: number; at?: number }): JsonPatchOperation[] {
  return [
    ...(seq === undefined ? [] : [{ op: 'replace' as const, path: `${root}/seq`, value: seq }]),
    ...(at === undefined ? [] : [{ op: 'replace' as const, path: `${root}/updatedAt`, value: at }]),
  ]
}
