import { StreamResponse } from '@a2a-js/sdk'
import { A2A_ERROR_CODE } from '@a2a-js/sdk/errors'
import type { ErrorRuntime } from '@cool-ai/beach-channel/http'
import { yieldToEventLoop } from '@cool-ai/beach-core/runtime'
import type { Caller } from './caller.ts'
import { jsonOperations, type JsonOperation, type JsonStream, type Operations } from './operations.ts'
import type { OperationName } from './params-check.ts'
import { jsonRpcError, serverError } from './wire-errors.ts'

type Id = string | number | null

/** An answer of JSON-RPC: one message, several, none, or a stream of them. */
export type RpcAnswer =
  | { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: unknown }
  | { readonly stream: AsyncGenerator<string, void, undefined>; readonly onError: (error: unknown) => string }

const maxBatch = 50
/** From so many bytes of answers on, the rest of a batch is not carried out. */
const maxBatchBytes = 8_000_000

/** What answers requests. */
export interface Answering {
  readonly operations: Operations
  readonly caller: Caller
  readonly runtime: ErrorRuntime
}

/** Answers a JSON-RPC request of protocol 1.0, or a batch of them. */
export async function answerJsonRpc(json: unknown, answering: Answering): Promise<RpcAnswer> {
  if (!Array.isArray(json)) return answerOne(json, answering)
  if (json.length === 0 || json.length > maxBatch) {
    return ok(failure(null, A2A_ERROR_CODE.INVALID_REQUEST, `A batch has 1 to ${maxBatch} requests.`))
  }
  const bodies: unknown[] = []
  let bytes = 0
  // One after the other: a batch counts as one open request, and is no more work at a time than one.
  for (const entry of json) {
    // The rest is no longer needed.
    if (answering.caller.signal.aborted) break
    const body = await answerEntry(entry, bytes < maxBatchBytes, answering)
    bytes += Buffer.byteLength(JSON.stringify(body) ?? '')
    bodies.push(body)
    await yieldToEventLoop()
  }
  return ok(bodies)
}

async function answerEntry(entry: unknown, hasRoom: boolean, answering: Answering): Promise<unknown> {
  const request = readRequest(entry)
  if ('problem' in request) return request.problem
  if (!hasRoom) {
    const message =
      'The answers before this one are as much as a batch may hold; it was not carried out. Send it by itself.'
    return failure(request.id, serverError, message)
  }
  const operation = operationOf(request.method)
  if (operation !== undefined && 'stream' in operation) {
    return failure(request.id, A2A_ERROR_CODE.INVALID_REQUEST, 'A stream cannot be part of a batch.')
  }
  const answer = await answerOne(entry, answering)
  return 'body' in answer ? answer.body : undefined
}

async function answerOne(json: unknown, { operations, caller, runtime }: Answering): Promise<RpcAnswer> {
  const request = readRequest(json)
  if ('problem' in request) return ok(request.problem)
  const { id, method, params } = request
  const operation = operationOf(method)
  if (operation === undefined) {
    const known = Object.keys(jsonOperations).join(', ')
    return ok(failure(id, A2A_ERROR_CODE.METHOD_NOT_FOUND, `There is no such method. There are: ${known}.`))
  }
  const success = (result: unknown) => ({ jsonrpc: '2.0', id, result })
  const onError = (error: unknown) => JSON.stringify({ jsonrpc: '2.0', id, error: jsonRpcError(error, runtime).body })
  try {
    if ('run' in operation) return ok(success(await operation.run(operations, params, caller)))
    const events = operation.stream(operations, params, caller)
    return { stream: await written(events, (event) => success(StreamResponse.toJSON(event))), onError }
  } catch (error) {
    const { status, headers, body } = jsonRpcError(error, runtime)
    return { status, headers, body: { jsonrpc: '2.0', id, error: body } }
  }
}

/** Events as texts; rejects with an error before the first event, which is an answer of its own and no stream. */
export async function written<Event>(
  events: AsyncGenerator<Event, void, undefined>,
  write: (event: Event) => unknown,
): Promise<AsyncGenerator<string, void, undefined>> {
  const first = await events.next()
  return (async function* () {
    if (first.done === true) return
    yield JSON.stringify(write(first.value))
    for await (const event of events) yield JSON.stringify(write(event))
  })()
}

function operationOf(method: string): JsonOperation | JsonStream | undefined {
  return Object.hasOwn(jsonOperations, method) ? jsonOperations[method as OperationName] : undefined
}

interface RpcRequest {
  readonly id: Id
  readonly method: string
  readonly params: object
}

/** A request, or the answer that says what is wrong with it. */
export function readRequest(json: unknown): RpcRequest | { readonly problem: unknown } {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return problem(null, 'It is not an object.')
  const { jsonrpc, id = null, method, params = {} } = json as Record<string, unknown>
  if (!isId(id)) return problem(null, '`id` must be a string, a whole number or null.')
  if (jsonrpc !== '2.0') return problem(id, '`jsonrpc` must be "2.0".')
  if (typeof method !== 'string' || method === '') return problem(id, '`method` is missing.')
  if (typeof params !== 'object' || params === null || Array.isArray(params)) {
    return { problem: failure(id, A2A_ERROR_CODE.INVALID_PARAMS, '`params` must be an object.') }
  }
  return { id, method, params }
}

function isId(id: unknown): id is Id {
  return id === null || typeof id === 'string' || Number.isInteger(id)
}

function problem(id: Id, what: string) {
  return { problem: failure(id, A2A_ERROR_CODE.INVALID_REQUEST, `This is not a JSON-RPC 2.0 request. ${what}`) }
}

function failure(id: Id, code: number, message: string) {
  return { jsonrpc: '2.0', id, error: { code, message } }
}

export function ok(body: unknown): RpcAnswer {
  return { status: 200, headers: {}, body }
}
