import { expressionCalls, expressionProblem } from '../model/expression.ts'
import { isPlainObject, kindOf, own, quoted, type PlainObject } from '../plain.ts'
import { pointerProblem } from '../pointer.ts'
import {
  addWrong,
  checkShape,
  isCount,
  isNumber,
  isPattern,
  isText,
  lower,
  listOf,
  objectOf,
  type Check,
  type CheckContext,
  type Shape,
  isAddress,
} from './check.ts'
import type { FunctionRules, Returns } from './catalog-rules.ts'
import { a2uiLimits } from './limits.ts'

/** A function of the Basic Catalog: what it returns, and what it must be given. */
interface FunctionShape extends Shape {
  readonly returns: Returns
  /** Of these at least one must be there. */
  readonly oneOf?: readonly string[]
}

export const bindingShape: Shape = { required: ['path'], properties: { path: checkPath } }

export function checkPath(value: unknown, path: string, name: string, looking: CheckContext): void {
  const remedy = "Use a JSON Pointer such as '/user/name' or, inside a template, 'name' for a value of the item."
  if (typeof value !== 'string') return addWrong(value, path, name, looking, remedy)
  const problem = pointerProblem(value)
  if (problem !== undefined) looking.problems.add(path, `${problem}.`, remedy)
}

/** A value of a type: itself, a path to one, or a function that returns one. */
function dynamic(isLiteral: (value: unknown) => boolean, literal: string, returns?: Returns): Check {
  return (value, path, name, looking) => {
    if (isLiteral(value)) return
    if (isPlainObject(value) && Object.hasOwn(value, 'call')) return checkCall(value, path, looking, returns)
    if (isPlainObject(value) && Object.hasOwn(value, 'path')) {
      return checkShape(value, path, bindingShape, looking, `The binding of '${name}'`)
    }
    const earlier = isPlainObject(value) && Object.keys(value).some((key) => key.startsWith('literal'))
    const remedy = earlier
      ? `Write ${literal} itself, without 'literal…' around it: that is the form of A2UI 0.8.`
      : `'${name}' must be ${literal}, {"path": "/…"} or {"call": "…", "args": {…}}.`
    addWrong(value, path, name, looking, remedy)
  }
}

const isString = (value: unknown): boolean => typeof value === 'string'

export const dynamicText: Check = dynamic(isString, 'a string', 'string')
export const dynamicNumber: Check = dynamic((value) => Number.isFinite(value), 'a number', 'number')
export const dynamicBoolean: Check = dynamic((value) => typeof value === 'boolean', 'true or false', 'boolean')
export const dynamicTexts: Check = dynamic(
  (value) => Array.isArray(value) && value.every(isString),
  'an array of strings',
  'array',
)
/** A value of any type but null and plain objects. */
export const dynamicValue: Check = dynamic(
  (value) => isString(value) || Number.isFinite(value) || typeof value === 'boolean' || Array.isArray(value),
  'a string, a number, true or false, an array',
)

/** An argument that may be anything: only what is computed is looked at. */
const anything: Check = (value, path, name, looking) => {
  if (!isPlainObject(value)) return value === null ? dynamicValue(value, path, name, looking) : undefined
  if (isString(own(value, 'call')) || isString(own(value, 'path'))) dynamicValue(value, path, name, looking)
}

/** The text of formatString, with expressions in it. */
const template: Check = (value, path, name, looking) => {
  if (typeof value !== 'string') return dynamicText(value, path, name, looking)
  const { problems, subject } = looking
  const problem = expressionProblem(value)
  if (problem !== undefined) {
    problems.add(
      path,
      `${subject} has an expression that cannot be read: ${problem}.`,
      'Write ${/path} or ${name(argument: value)}, and \\${ for the characters themselves.',
    )
    return
  }
  for (const { name: called, depth } of expressionCalls(value)) {
    checkFunctionName(called, path, looking)
    checkCallDepth(looking.calls + depth, path, looking)
  }
}

const oneBoolean: Shape = { required: ['value'], properties: { value: dynamicBoolean } }
const oneText: Shape = { required: ['value'], properties: { value: dynamicText } }
const booleans: Shape = {
  required: ['values'],
  properties: { values: listOf(dynamicBoolean, 'an array of conditions', 2) },
}
const numberFormat = { value: dynamicNumber, decimals: dynamicNumber, grouping: dynamicBoolean }
const plurals = { zero: dynamicText, one: dynamicText, two: dynamicText, few: dynamicText, many: dynamicText }

const shapes: Readonly<Record<string, FunctionShape>> = {
  required: { returns: 'boolean', required: ['value'], properties: { value: anything } },
  regex: { returns: 'boolean', required: ['value', 'pattern'], properties: { value: dynamicText, pattern: isPattern } },
  length: {
    returns: 'boolean',
    required: ['value'],
    oneOf: ['min', 'max'],
    properties: { value: dynamicText, min: isCount, max: isCount },
  },
  numeric: {
    returns: 'boolean',
    required: ['value'],
    oneOf: ['min', 'max'],
    properties: { value: dynamicNumber, min: isNumber, max: isNumber },
  },
  email: { returns: 'boolean', ...oneText },
  formatString: { returns: 'string', required: ['value'], properties: { value: template } },
  formatNumber: { returns: 'string', required: ['value'], properties: numberFormat },
  formatCurrency: {
    returns: 'string',
    required: ['value', 'currency'],
    properties: { ...numberFormat, currency: dynamicText },
  },
  formatDate: {
    returns: 'string',
    required: ['value', 'format'],
    properties: { value: dynamicValue, format: dynamicText },
  },
  pluralize: {
    returns: 'string',
    required: ['value', 'other'],
    properties: { value: dynamicNumber, ...plurals, other: dynamicText },
  },
  openUrl: { returns: 'void', required: ['url'], properties: { url: isAddress } },
  and: { returns: 'boolean', ...booleans },
  or: { returns: 'boolean', ...booleans },
  not: { returns: 'boolean', ...oneBoolean },
}

export const functionNames: readonly string[] = Object.keys(shapes)

/** The functions of the Basic Catalog. */
export const functions: ReadonlyMap<string, FunctionRules> = new Map(
  Object.entries(shapes).map(([name, shape]) => [name, { returns: shape.returns, args: argumentsOf(name, shape) }]),
)

function argumentsOf(name: string, shape: FunctionShape): Check {
  const { oneOf } = shape
  const all = objectOf(shape, `The arguments of '${name}'`)
  return (value, path, key, looking) => {
    all(value, path, key, looking)
    if (oneOf === undefined || !isPlainObject(value) || oneOf.some((one) => own(value, one) !== undefined)) return
    const what = `The call of '${name}' in ${lower(looking.subject)}`
    looking.problems.add(path, `${what} has none of: ${oneOf.join(', ')}.`, 'Give at least one of them.')
  }
}

function checkFunctionName(name: unknown, path: string, looking: CheckContext): FunctionRules | undefined {
  const { problems, subject, catalog } = looking
  const known = catalog?.functions ?? functions
  const found = typeof name === 'string' ? known.get(name) : undefined
  if (found === undefined) {
    const given = typeof name === 'string' ? quoted(name) : kindOf(name)
    const remedy = known.size === 0 ? 'It has none: leave it out.' : `Use one of: ${[...known.keys()].join(', ')}.`
    const whose = catalog?.name ?? 'the Basic Catalog'
    problems.add(path, `${subject} calls ${given}, which is no function of ${whose}.`, remedy)
  }
  return found
}

function checkCallDepth(calls: number, path: string, { problems, subject }: CheckContext): boolean {
  if (calls <= a2uiLimits.calls) return true
  const remedy = `At most ${a2uiLimits.calls} may stand in one another: compute the value before you send it.`
  problems.add(path, `${subject} has functions that are nested too deep.`, remedy)
  return false
}

/** A call of a function; `returns` is what is needed where it stands. */
export function checkCall(call: PlainObject, path: string, looking: CheckContext, returns?: Returns): void {
  const { subject, calls } = looking
  if (!checkCallDepth(calls + 1, path, looking)) return
  const rules = checkFunctionName(own(call, 'call'), `${path}/call`, looking)
  if (rules === undefined) return
  const what = `The call of '${String(call.call)}' in ${lower(subject)}`
  const properties = { call: isText, args: rules.args, returnType: returnType(rules.returns, returns) }
  checkShape(call, path, { required: ['call', 'args'], properties }, { ...looking, calls: calls + 1 }, what)
}

function returnType(actual: Returns, needed: Returns | undefined): Check {
  return (value, path, name, looking) => {
    if (actual === 'any') return isText(value, path, name, looking)
    if (value !== actual) return addWrong(value, path, name, looking, `This function returns '${actual}'.`)
    if (needed === undefined || actual === needed) return
    const remedy = `What stands here must be of type '${needed}': use another function.`
    looking.problems.add(path, `${looking.subject} has a function here that returns '${actual}'.`, remedy)
  }
}

/** What a check of an input says: a condition, and what is said when it fails. */
export const checkRule: Shape = {
  required: ['condition', 'message'],
  properties: { condition: dynamicBoolean, message: isText },
}

export const checkRules: Check = listOf(objectOf(checkRule, 'A check'), 'an array of checks')

const contextOf: Check = (value, path, name, looking) => {
  if (!isPlainObject(value)) return addWrong(value, path, name, looking, `'${name}' must be an object.`)
  const properties = Object.fromEntries(Object.keys(value).map((key) => [key, dynamicValue]))
  checkShape(value, path, { required: [], properties }, looking, `The context of ${looking.subject}`)
}

const eventAction: Shape = {
  required: ['event'],
  properties: {
    event: objectOf({ required: ['name'], properties: { name: isText, context: contextOf } }, 'The event'),
  },
}
const callAction: Shape = { required: ['functionCall'], properties: { functionCall: checkFunctionCall } }

function checkFunctionCall(value: unknown, path: string, name: string, looking: CheckContext): void {
  if (isPlainObject(value)) return checkCall(value, path, looking)
  addWrong(value, path, name, looking, `It must be {"call": "…", "args": {…}}.`)
}

/** What happens when a component is used: an event for the server, or a function of the client. */
export const action: Check = (value, path, name, looking) => {
  if (isPlainObject(value) && (Object.hasOwn(value, 'event') || Object.hasOwn(value, 'functionCall'))) {
    const shape = Object.hasOwn(value, 'event') ? eventAction : callAction
    return checkShape(value, path, shape, looking, `The action of ${looking.subject}`)
  }
  const remedy = `'${name}' must be {"event": {"name": "…", "context": {…}}} or {"functionCall": {…}}.`
  addWrong(value, path, name, looking, remedy)
}
