import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import type { TestContext } from 'vitest'
import { listen } from './stock-agent.ts'

/** A request as it came. */
export interface RawRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** The JSON-RPC call in it. */
  readonly call: { readonly id: unknown; readonly method: string; readonly params: Record<string, unknown> }
}

/** A peer that answers whatever its test wants, on a loopback port. */
export async function rawPeer(
  test: TestContext,
  answer: (raw: RawRequest) => void | Promise<void>,
): Promise<{ url: string; calls: string[] }> {
  const calls: string[] = []
  const server = createServer((request, response) => {
    void (async () => {
      const body = await readText(request)
      const call = JSON.parse(body === '' ? '{}' : body) as RawRequest['call']
      calls.push(call.method)
      await answer({ request, response, call })
    })()
  })
  return { url: `http://127.0.0.1:${await listen(test, server)}`, calls }
}

/** Begins a stream of events, and gives the function that sends one. */
export function events({ response, call }: RawRequest): (result: unknown) => boolean {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  return (result) => response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: call.id, result })}\n\n`)
}

/** Answers with JSON. */
export function json({ response }: RawRequest, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

/** A task as a peer would send it. */
export function task(state: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { id: 'task-1', contextId: 'context-1', status: { state: `TASK_STATE_${state}` }, artifacts: [], ...more }
}
