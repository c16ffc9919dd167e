import { pointerTo } from '../schemas/json-pointer.ts'
import { FlowError } from '../schemas/flow-error.ts'
import { formatPath, parsePath, pathProblem, type PathStep } from '../schemas/patch-path.ts'
import type { PatchOperation } from '../schemas/server-payloads.ts'
import type { JsonPatchOperation } from './json-patch.ts'

type Props = Readonly<Record<string, unknown>>

/**
 * The props after the operations, one after the other; what they do not touch is shared with what was. One that does not
 * fit is an error that names its path, and then none of them counts.
 */
export function applyOperations(props: Props, operations: readonly PatchOperation[]): Record<string, unknown> {
  return operations.reduce<Record<string, unknown>>(
    (value, operation) => change(value, stepsOf(operation), operation) as Record<string, unknown>,
    props,
  )
}

/**
 * The operations in the form in which they are sent: brackets for items of lists, names for members of objects. What a
 * JSON Pointer leaves open is settled by the props that it leads through; its `-` means the end of a list.
 */
export function normalizeOperations(props: Props, operations: readonly PatchOperation[]): PatchOperation[] {
  let value: Props = props
  return operations.map((operation) => {
    const normal = normalize(value, operation)
    value = applyOperations(value, [normal])
    return normal
  })
}

/** The same change as JSON Patch, on what `root` points to. It needs no look at the props. */
export function compileOperation(root: string, operation: PatchOperation): JsonPatchOperation {
  const steps = stepsOf(operation)
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

function stepsOf({ path }: PatchOperation): PathStep[] {
  const problem = pathProblem(path)
  if (problem !== undefined)
    throw new FlowError('INVALID_PAYLOAD', `The path ${path} ${problem}.`, { details: { path } })
  return parsePath(path) ?? []
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

function hasStep(value: unknown, each: PathStep): value is object {
  if (typeof each === 'number') return Array.isArray(value) && each < value.length
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, each)
}

/** A copy of `value` in which the operation was done at the end of the steps. */
function change(value: unknown, [first, ...rest]: readonly PathStep[], operation: PatchOperation): unknown {
  if (first === undefined) return changed(value, operation)
  const setsMember = rest.length === 0 && operation.op === 'set' && typeof first === 'string' && isObject(value)
  if (!setsMember && !hasStep(value, first)) throw unfit(operation, `there is no ${formatPath([first])} there`)
  if (rest.length === 0 && operation.op === 'set') return withStep(value, first, operation.value)
  if (rest.length === 0 && operation.op === 'delete') return withoutStep(value, first)
  return withStep(value, first, change(Reflect.get(value as object, first), rest, operation))
}

function changed(value: unknown, operation: PatchOperation): unknown {
  if (!Array.isArray(value)) throw unfit(operation, 'what is there is no list')
  if (operation.value === undefined) throw unfit(operation, 'it has no value')
  return operation.op === 'append'
    ? [...(value as unknown[]), operation.value]
    : [operation.value, ...(value as unknown[])]
}

function withStep(value: unknown, each: PathStep, next: unknown): unknown {
  if (Array.isArray(value)) return value.with(Number(each), next)
  return { ...(value as object), [each]: next }
}

function withoutStep(value: unknown, each: PathStep): unknown {
  if (Array.isArray(value)) return value.toSpliced(Number(each), 1)
  const { [each]: _, ...rest } = value as Record<PathStep, unknown>
  return rest
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function unfit({ op, path }: PatchOperation, why: string): FlowError {
  return new FlowError('INVALID_PAYLOAD', `Cannot ${op} ${path}: ${why}.`, { details: { op, path } })
}
