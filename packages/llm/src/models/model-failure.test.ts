import {
  APICallError,
  EmptyResponseBodyError,
  InvalidResponseDataError,
  JSONParseError,
  LoadAPIKeyError,
  TypeValidationError,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider'
import { BeachError } from '@cool-ai/beach-core'
import { describe, expect, test } from 'vitest'
import { modelFailure } from './model-failure.ts'

const secret = 'sk-canary-1234'
const call = (options: Partial<ConstructorParameters<typeof APICallError>[0]>) =>
  new APICallError({
    message: `Bad key ${secret}`,
    url: `https://provider.example/${secret}`,
    requestBodyValues: { prompt: secret },
    responseBody: secret,
    ...options,
  })
const socket = (code: string) => new TypeError('terminated', { cause: Object.assign(new Error(secret), { code }) })

describe('what a provider answered', () => {
  test.each([
    [400, false],
    [401, false],
    [404, false],
    [413, false],
    [408, true],
    [429, true],
    [500, true],
    [529, true],
  ])('with the status %i may pass by itself: %s', (statusCode, retryable) => {
    const failure = modelFailure(call({ statusCode }))
    expect(failure).toMatchObject({ retryable, facts: { status: statusCode } })
    expect(failure.message).toBe(`The provider answered ${statusCode}.`)
  })

  test('is told by its name and its id, and by nothing that could be a secret', () => {
    const data = { type: 'error', error: { type: 'rate_limit_error', message: secret } }
    const responseHeaders = { 'request-id': 'req_01', 'x-echo': secret }
    const failure = modelFailure(call({ statusCode: 429, data, responseHeaders }))
    expect(failure.facts).toEqual({
      reason: 'The provider answered 429.',
      status: 429,
      type: 'rate_limit_error',
      requestId: 'req_01',
    })
    expect(JSON.stringify([failure, failure.facts, failure.message, failure.stack])).not.toContain(secret)
    expect(failure.cause).toBeUndefined()
  })

  test('is not told by a name that reads like a key, or an id that reads like a sentence', () => {
    const data = { error: { type: secret, code: 'A sentence.' } }
    const responseHeaders = { 'x-request-id': 'see https://provider.example' }
    expect(modelFailure(call({ statusCode: 400, data, responseHeaders })).facts).toEqual({
      reason: 'The provider answered 400.',
      status: 400,
    })
  })

  test.each([
    [{ 'retry-after': '7' }, { ms: 7_000 }],
    [{ 'retry-after': '0' }, { ms: 0 }],
    [{ 'retry-after': '0.5' }, { ms: 500 }],
    [{ 'retry-after': '9', 'retry-after-ms': '120' }, { ms: 120 }],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:09 GMT' }, { at: Date.UTC(2026, 0, 1, 0, 0, 9) }],
    [{ 'retry-after': '-5' }, undefined],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '' }, undefined],
    [{}, undefined],
  ])('asks for patience in its headers: %j', (responseHeaders, wanted) => {
    const { retryAfter } = modelFailure(call({ statusCode: 429, responseHeaders: { ...responseHeaders } }))
    expect(retryAfter).toEqual(wanted)
  })
})

describe('a connection', () => {
  test('that could not be made may be made later', () => {
    const failure = modelFailure(call({ isRetryable: true, cause: socket('ECONNREFUSED').cause }))
    expect(failure).toMatchObject({ retryable: true, facts: { code: 'ECONNREFUSED' } })
    expect(JSON.stringify(failure.facts)).not.toContain(secret)
  })

  test('that breaks in an answer that began well is a broken stream', () => {
    expect(modelFailure(call({ statusCode: 200 }))).toMatchObject({ retryable: true })
    expect(modelFailure(call({ statusCode: 200, cause: socket('UND_ERR_SOCKET') })).facts.code).toBe('UND_ERR_SOCKET')
    expect(modelFailure(socket('ECONNRESET'))).toMatchObject({ retryable: true, facts: { code: 'ECONNRESET' } })
    expect(modelFailure(new TypeError('terminated'))).toMatchObject({ retryable: true })
  })
})

describe('an answer', () => {
  test.each([
    new JSONParseError({ text: secret, cause: new Error(secret) }),
    new TypeValidationError({ value: secret, cause: new Error(secret) }),
    new InvalidResponseDataError({ data: secret, message: secret }),
    new EmptyResponseBodyError({ message: secret }),
  ])('that cannot be read may come better, and is not quoted: $name', (error) => {
    const failure = modelFailure(error)
    expect(failure.retryable).toBe(true)
    expect(JSON.stringify([failure.facts, failure.message])).not.toContain(secret)
  })

  test.each([
    [{ type: 'overloaded_error', statusCode: 529, isRetryable: true, message: secret }, true],
    [{ type: 'invalid_request_error', statusCode: 400, isRetryable: false, message: secret }, false],
    [{ type: 'server_error', message: secret }, true],
    [{ type: 'insufficient_quota', message: secret }, false],
    [{ code: 'context_length_exceeded', message: secret }, false],
    [{ code: 'rate_limit_exceeded', message: secret }, true],
    [{ code: 502, message: secret }, true],
    [{ code: 403, message: secret }, false],
    [secret, true],
    [undefined, true],
  ])('that reports an error says whether it may pass: %j', (report, retryable) => {
    const failure = modelFailure(report)
    expect(failure.retryable).toBe(retryable)
    expect(JSON.stringify([failure.facts, failure.message])).not.toContain(secret)
  })
})

describe('anything else', () => {
  test.each([
    new LoadAPIKeyError({ message: 'Anthropic API key is missing.' }),
    new UnsupportedFunctionalityError({ functionality: 'tools' }),
    new BeachError('INVALID_CONFIGURATION', 'The script has no rule.'),
  ])('about our own settings is said as it is: $message', (error) => {
    expect(modelFailure(error)).toMatchObject({ retryable: false, message: error.message })
  })

  test('is told by its name and its place, without its words, and not tried again', () => {
    const failure = modelFailure(new TypeError(`${secret} is not a function`))
    expect(failure).toMatchObject({ retryable: false, facts: { error: 'TypeError' } })
    expect(failure.frames[0]).toContain('model-failure.test.ts')
    expect(JSON.stringify([failure.facts, failure.message, failure.frames])).not.toContain(secret)
  })

  test('that is known already stays what it is', () => {
    const failure = modelFailure(new TypeError('terminated'))
    expect(modelFailure(failure)).toBe(failure)
  })
})
