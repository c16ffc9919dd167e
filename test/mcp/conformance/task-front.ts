import { once } from 'node:events'
import { createAdaptorServer } from '@hono/node-server'
import { onTestFinished } from 'vitest'

interface Call {
  readonly method?: string
  readonly params?: {
    readonly name?: string
    readonly arguments?: Readonly<Record<string, unknown>>
    readonly inputResponses?: Readonly<Record<string, unknown>>
  }
}

/** What the suite calls its tools, and how the agent is told to do the same. */
const messages: Readonly<Record<string, (args: Readonly<Record<string, unknown>>) => string>> = {
  slow_compute: ({ seconds }) => `work for ${Number(seconds)} s`,
  failing_job: () => 'fail',
  confirm_delete: () => 'remove 1',
  multi_input: () => 'remove 2',
}

/** The suite fills in every form with `confirm`, which is in the forms of its own tools. */
const granted = { action: 'accept', content: { decision: 'granted' } }

/**
 * Stands before an agent for the suite's scenarios of tasks, which call tools of certain names: it makes messages to the
 * agent of them, and lets everything else through as it is.
 */
export async function taskFront(agent: string, tool: string): Promise<string> {
  const server = createAdaptorServer({
    fetch: async (request) => {
      const headers = new Headers(request.headers)
      headers.delete('content-length')
      headers.delete('host')
      headers.delete('connection')
      const body = request.method === 'POST' ? await request.text() : undefined
      const rewritten = body === undefined ? undefined : rewrite(JSON.parse(body) as Call, headers, tool)
      const response = await fetch(agent, {
        method: request.method,
        headers,
        ...(rewritten !== undefined && { body: JSON.stringify(rewritten) }),
      })
      const { status } = response
      const type = response.headers.get('content-type')
      return new Response(response.body, { status, headers: type === null ? {} : { 'content-type': type } })
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    if ('closeAllConnections' in server) server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/mcp`
}

function rewrite(call: Call, headers: Headers, tool: string): Call {
  const { method, params } = call
  if (method === 'tools/call') {
    const message = messages[params?.name ?? '']?.(params?.arguments ?? {})
    if (message === undefined) return call
    if (headers.get('mcp-name') === params?.name) headers.set('mcp-name', tool)
    return { ...call, params: { ...params, name: tool, arguments: { message } } }
  }
  if (method !== 'tasks/update' || params?.inputResponses === undefined) return call
  const answered = Object.entries(params.inputResponses).map(([key, response]) => [
    key,
    JSON.stringify(response).includes('"confirm":true') ? granted : response,
  ])
  return { ...call, params: { ...params, inputResponses: Object.fromEntries(answered) as Record<string, unknown> } }
}
