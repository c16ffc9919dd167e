import { StreamResponse } from '@a2a-js/sdk'
import { errorIdHeader, noteError, type ErrorRuntime } from '@cool-ai/beach-channel/http'
import { BeachError } from '@cool-ai/beach-core'
import { isObject } from '@cool-ai/beach-protocol/json-schema'
import { errorIdDetail } from './error-id.ts'
import { written, type Answering, type RpcAnswer } from './json-rpc.ts'
import { jsonOperations } from './operations.ts'
import type { OperationName } from './params-check.ts'
import { restError } from './wire-errors.ts'

interface RestCall {
  readonly operation: OperationName
  readonly params: Readonly<Record<string, unknown>>
  readonly status: number
}

type Query = Readonly<Record<string, unknown>>

/**
 * The call in a request of the HTTP+JSON binding; `path` is what comes after the binding's own address. Undefined when
 * there is nothing at that path.
 */
function restCall(method: string, path: string, query: URLSearchParams, body: unknown): RestCall | undefined {
  const given = bodyOf(body)
  const call = (operation: OperationName, params: Query, status = 200): RestCall => ({ operation, params, status })
  const only = (allowed: readonly string[], make: () => RestCall): RestCall => {
    if (allowed.includes(method)) return make()
    const allow = allowed.join(', ')
    throw new BeachError('METHOD_NOT_ALLOWED', `Use ${allow} here.`, { details: { allow } })
  }
  const segments = path.split('/').filter((segment) => segment !== '')
  const [first = '', second = '', third = '', fourth = ''] = segments.map(decoded)
  if (segments.length === 1) {
    if (first === 'message:send') return only(['POST'], () => call('SendMessage', given))
    if (first === 'message:stream') return only(['POST'], () => call('SendStreamingMessage', given))
    if (first === 'tasks') return only(['GET'], () => call('ListTasks', listQuery(query)))
    if (first === 'extendedAgentCard') return only(['GET'], () => call('GetExtendedAgentCard', {}))
  }
  if (first === 'tasks' && segments.length === 2) {
    const [id, action] = splitAction(second)
    if (action === undefined) return only(['GET'], () => call('GetTask', { id, ...numberIn(query, 'historyLength') }))
    if (action === 'cancel') return only(['POST'], () => call('CancelTask', { ...given, id }))
    // The specification has GET here in one place and POST in another.
    if (action === 'subscribe') return only(['GET', 'POST'], () => call('SubscribeToTask', { id }))
  }
  if (first === 'tasks' && third === 'pushNotificationConfigs') {
    const taskId = second
    if (segments.length === 3 && method === 'POST') {
      return call('CreateTaskPushNotificationConfig', { ...given, taskId }, 201)
    }
    if (segments.length === 3) return only(['GET'], () => call('ListTaskPushNotificationConfigs', { taskId }))
    if (segments.length === 4 && method === 'DELETE') {
      return call('DeleteTaskPushNotificationConfig', { taskId, id: fourth }, 204)
    }
    if (segments.length === 4) return only(['GET'], () => call('GetTaskPushNotificationConfig', { taskId, id: fourth }))
  }
  return undefined
}

function listQuery(query: URLSearchParams): Query {
  return {
    contextId: query.get('contextId') ?? '',
    status: query.get('status') ?? undefined,
    pageToken: query.get('pageToken') ?? '',
    ...numberIn(query, 'pageSize'),
    ...numberIn(query, 'historyLength'),
    statusTimestampAfter: query.get('statusTimestampAfter') ?? undefined,
    ...flagIn(query, 'includeArtifacts'),
  }
}

function numberIn(query: URLSearchParams, name: string): Query {
  const text = query.get(name)
  if (text === null || text === '') return {}
  if (!/^\d{1,9}$/.test(text)) throw new BeachError('BAD_REQUEST', `${name} is a whole number, 0 or more.`)
  return { [name]: Number(text) }
}

function flagIn(query: URLSearchParams, name: string): Query {
  const text = query.get(name)
  if (text === null || text === '') return {}
  if (text !== 'true' && text !== 'false') throw new BeachError('BAD_REQUEST', `${name} is true or false.`)
  return { [name]: text === 'true' }
}

/** What a request brings; to bring nothing is to bring nothing in particular. */
function bodyOf(body: unknown): Query {
  if (body === undefined) return {}
  if (isObject(body)) return body
  throw new BeachError('BAD_REQUEST', 'The body must be a JSON object.')
}

function splitAction(segment: string): [string, string?] {
  const colon = segment.lastIndexOf(':')
  return colon === -1 ? [segment] : [segment.slice(0, colon), segment.slice(colon + 1)]
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw new BeachError('BAD_REQUEST', 'The path is not written as a URL must be.')
  }
}

/** A request of the HTTP+JSON binding. */
export interface RestRequest {
  readonly method: string
  /** What comes after the binding's own address. */
  readonly path: string
  readonly query: URLSearchParams
  readonly json: unknown
}

/** Answers a request of the HTTP+JSON binding of protocol 1.0. */
export async function answerRest(
  { method, path, query, json }: RestRequest,
  { operations, caller, runtime }: Answering,
): Promise<RpcAnswer> {
  const call = restCall(method, path, query, json)
  if (call === undefined) return nothingThere(runtime)
  const operation = jsonOperations[call.operation]
  const headers = { 'content-type': 'application/a2a+json' }
  if ('run' in operation) {
    return { status: call.status, headers, body: await operation.run(operations, call.params, caller) }
  }
  const events = operation.stream(operations, call.params, caller)
  const stream = await written(events, (event) => StreamResponse.toJSON(event))
  return { stream, onError: (error) => JSON.stringify(restError(error, runtime).body) }
}

function nothingThere(runtime: ErrorRuntime): RpcAnswer {
  const id = noteError(undefined, runtime, { code: 'NOT_FOUND', status: 404 })
  const details = [errorIdDetail(id)]
  const body = { error: { code: 404, status: 'NOT_FOUND', message: 'There is nothing at this path.', details } }
  return { status: 404, headers: { [errorIdHeader]: id }, body }
}
