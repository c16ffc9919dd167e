import { StreamResponse } from '@a2a-js/sdk'
import type { Logger } from '@cool-ai/beach-core'
import type { Caller } from './caller.ts'
import type { RpcAnswer } from './json-rpc.ts'
import { jsonOperations, type JsonOperation, type JsonStream, type Operations } from './operations.ts'
import { restCall } from './rest.ts'
import { restError } from './wire-errors.ts'

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
  operations: Operations,
  caller: Caller,
  logger: Logger,
): Promise<RpcAnswer> {
  const onError = (error: unknown) => JSON.stringify(restError(error, logger).body)
  const call = restCall(method, path, query, json)
  if (call === undefined) return nothingThere
  const operation: JsonOperation | JsonStream = jsonOperations[call.operation]
  const headers = { 'content-type': 'application/a2a+json' }
  if ('run' in operation) {
    return { status: call.status, headers, body: await operation.run(operations, call.params, caller) }
  }
  const events = operation.stream(operations, call.params, caller)
  // An error before the first event is an answer of its own, not a stream.
  const first = await events.next()
  return { stream: written(first, events), onError }
}

/** Of no operation. */
const nothingThere: RpcAnswer = {
  status: 404,
  headers: {},
  body: { error: { code: 404, status: 'NOT_FOUND', message: 'There is nothing at this path.', details: [] } },
}

async function* written(
  first: IteratorResult<StreamResponse, void>,
  events: AsyncGenerator<StreamResponse, void, undefined>,
): AsyncGenerator<string, void, undefined> {
  if (first.done === true) return
  yield JSON.stringify(StreamResponse.toJSON(first.value))
  for await (const event of events) yield JSON.stringify(StreamResponse.toJSON(event))
}
