import { formatPath, parsePath, pathProblem, type PathStep } from '../schemas/patch-path.ts'
import type { PatchOperation } from '../schemas/server-payloads.ts'
import type { Values } from '../schemas/json-problem.ts'

/** An operation that does not fit. Not a `FlowError`: pages fold props too, and need no catalogue of errors for it. */
export class UnfitOperation extends Error {
  readonly details: Values

  constructor(message: string, details: Values) {
    super(message)
    this.details = details
  }
}

/** The props after the operations, one after the other; what they do not touch is shared with what was. */
export function changeProps(props: Values, operations: readonly PatchOperation[]): Record<string, unknown> {
  return operations.reduce<Record<string, unknown>>(
    (value, operation) => change(value, stepsOf(operation), operation) as Record<string, unknown>,
    props,
  )
}

export function stepsOf({ path }: PatchOperation): PathStep[] {
  const problem = pathProblem(path)
  if (problem !== undefined) throw new UnfitOperation(`The path ${path} ${problem}.`, { path })
  return parsePath(path) ?? []
}

export function hasStep(value: unknown, each: PathStep): value is object {
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

function unfit({ op, path }: PatchOperation, why: string): UnfitOperation {
  return new UnfitOperation(`Cannot ${op} ${path}: ${why}.`, { op, path })
}
