import { expect, test } from 'vitest'
import * as z from 'zod'
import { errorCategories, errorCodes, FlowError, isFlowError, toFlowError } from './flow-error.ts'
import { errorPayloadSchema } from './server-payloads.ts'

test('every code has a category, a status and a message, and makes a valid payload', () => {
  expect(Object.keys(errorCodes)).toHaveLength(19)
  for (const [code, kind] of Object.entries(errorCodes)) {
    const error = new FlowError(code as keyof typeof errorCodes)
    expect(errorCategories).toContain(kind.category)
    expect(errorPayloadSchema.parse(error.toPayload())).toEqual({
      code,
      message: kind.message,
      category: kind.category,
      recoverable: kind.recoverable,
    })
    expect(error.status).toBe(kind.status)
  }
})

test.each([
  ['INVALID_TRANSITION', 409, 'state'],
  ['STATE_CONFLICT', 409, 'state'],
  ['INSTANCE_NOT_FOUND', 404, 'state'],
  ['INSTANCE_EXPIRED', 410, 'state'],
  ['AUTH_REQUIRED', 401, 'permission'],
  ['PERMISSION_DENIED', 403, 'permission'],
  ['RATE_LIMITED', 429, 'permission'],
  ['MUTATION_FAILED', 422, 'external'],
  ['HYDRATION_FAILED', 502, 'external'],
  ['TIMEOUT', 504, 'external'],
  ['SERVICE_UNAVAILABLE', 503, 'external'],
  ['INVALID_PAYLOAD', 400, 'validation'],
  ['INTERNAL_ERROR', 500, 'internal'],
] as const)('%s is %i, of category %s', (code, status, category) => {
  expect(errorCodes[code]).toMatchObject({ status, category })
})

test('a failed parse says which fields are wrong; other causes stay on the server', () => {
  const { error } = z.object({ items: z.array(z.object({ n: z.number() })) }).safeParse({ items: [{ n: 'x' }] })
  expect(new FlowError('INVALID_PAYLOAD', error).message).toMatch(/items\.0\.n: .*expected number/)
  const internal = new FlowError('INTERNAL_ERROR', new Error('password is hunter2'))
  expect(JSON.stringify(internal.toPayload({ debug: true }))).not.toContain('hunter2')
  expect(internal.cause).toBeInstanceOf(Error)
})

test('details of permissions and of our own failures are for developers only', () => {
  const denied = new FlowError('PERMISSION_DENIED', undefined, { details: { roles: ['admin'] } })
  expect(denied.toPayload()).not.toHaveProperty('details')
  expect(denied.toPayload({ debug: true }).details).toEqual({ roles: ['admin'] })
  const declined = new FlowError('MUTATION_FAILED', 'Declined', { details: { appCode: 'CARD' }, instanceId: 'f' })
  expect(declined.toPayload()).toEqual({
    code: 'MUTATION_FAILED',
    message: 'Declined',
    category: 'external',
    instanceId: 'f',
    details: { appCode: 'CARD' },
    recoverable: true,
  })
})

test('an error is told what it is about, where it did not say so itself', () => {
  const error = new FlowError('TIMEOUT', 'Slow', { instanceId: 'f', retryAfter: 2 })
  const about = error.about({ instanceId: 'other', inReplyTo: 'e1' })
  expect(about.toPayload()).toMatchObject({ message: 'Slow', instanceId: 'f', inReplyTo: 'e1', retryAfter: 2 })
})

test('any failure becomes a FlowError', () => {
  const error = new FlowError('TIMEOUT')
  expect(toFlowError(error)).toBe(error)
  expect(toFlowError(AbortSignal.abort(new DOMException('x', 'TimeoutError')).reason).code).toBe('TIMEOUT')
  expect(toFlowError(new Error('x'), 'MUTATION_FAILED').code).toBe('MUTATION_FAILED')
  expect(toFlowError('x').code).toBe('INTERNAL_ERROR')
  expect(isFlowError(error, 'TIMEOUT')).toBe(true)
  expect(isFlowError(error, 'RATE_LIMITED')).toBe(false)
  expect(isFlowError(new Error('x'))).toBe(false)
})
