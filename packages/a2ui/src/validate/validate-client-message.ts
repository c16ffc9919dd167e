import { a2uiVersions } from '../messages.ts'
import { isPlainObject, kindOf, own } from '../plain.ts'
import { checkShape, isText, must, objectOf, type Check, type Shape } from './check.ts'
import { isWithinLimits } from './limits.ts'
import { Problems, type A2uiProblem } from './problems.ts'

const isTime = must(
  (value) =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/i.test(value) && !Number.isNaN(Date.parse(value)),
  'a time, such as "2026-04-20T09:50:00Z"',
)
const isObject = must(isPlainObject, 'an object')

/** What a user has done. Further properties are allowed. */
const action: Check = (value, path, name, looking) => {
  const required = { name: isText, surfaceId: isText, sourceComponentId: isText, timestamp: isTime, context: isObject }
  loosely({ required: Object.keys(required), properties: required })(value, path, name, looking)
}

const failedValidation: Shape = {
  required: ['code', 'surfaceId', 'path', 'message'],
  properties: { code: isText, surfaceId: isText, path: isText, message: isText },
}

const error: Check = (value, path, name, looking) => {
  const isValidation = isPlainObject(value) && own(value, 'code') === 'VALIDATION_FAILED'
  if (isValidation) return objectOf(failedValidation, 'The error')(value, path, name, looking)
  const properties = { code: () => {}, surfaceId: isText, message: isText }
  loosely({ required: Object.keys(properties), properties })(value, path, name, looking)
}

/** A shape that may have more than it says. */
function loosely(shape: Shape): Check {
  return (value, path, name, looking) => {
    if (!isPlainObject(value)) return isObject(value, path, name, looking)
    const known = Object.entries(value).filter(([key]) => Object.hasOwn(shape.properties, key))
    checkShape(Object.fromEntries(known), path, shape, looking, `The ${name}`)
  }
}

const isVersion = must((value) => a2uiVersions.some((known) => known === value), `one of: ${a2uiVersions.join(', ')}`)

/** What is wrong with a message from a client, an action or an error; nothing when it is right. Never throws. */
export function validateClientMessage(data: unknown): readonly A2uiProblem[] {
  const problems = new Problems()
  try {
    if (isWithinLimits(data, problems)) check(data, problems)
  } catch {
    problems.add('', 'This cannot be read.', 'Give plain JSON.')
  }
  return problems.list
}

function check(data: unknown, problems: Problems): void {
  const subject = 'The message'
  const looking = { problems, subject, calls: 0 }
  if (!isPlainObject(data)) {
    problems.add('', `There is ${kindOf(data)} where a message should be.`, 'Give an object.')
    return
  }
  const kind = Object.hasOwn(data, 'error') ? 'error' : 'action'
  const properties = { version: isVersion, ...(kind === 'error' ? { error } : { action }) }
  checkShape(data, '', { required: ['version', kind], properties }, looking, subject)
}
