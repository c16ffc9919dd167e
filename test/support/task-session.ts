import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createTaskSessionFromClient, type ApplicationElicitResult } from '@modelcontextprotocol/ext-tasks/client'
import { z } from 'zod'

const revision = '2026-07-28'
const clientInfo = { name: 'tester', version: '1.0.0' }

/** How a person answers a form: by its message and the key that the task gave it. */
export type TaskPerson = (message: string, key: string) => ApplicationElicitResult | Promise<ApplicationElicitResult>

export interface TaskClientOptions {
  readonly token?: string
  readonly person?: TaskPerson
  /** False for a client that does not say that it takes tasks. */
  readonly takesTasks?: boolean
  /** In place of the platform's. */
  readonly fetch?: typeof globalThis.fetch
}

const answerShape = z.looseObject({
  result: z.looseObject({}).optional(),
  error: z.looseObject({ code: z.number(), message: z.string(), data: z.json().optional() }).optional(),
})

/** One request as revision 2026-07-28 has it on the wire: what the stock client leaves to its host to send. */
export async function dispatch(
  url: URL,
  body: { method: string; params?: object },
  headers: Record<string, string>,
  fetching: typeof globalThis.fetch = fetch,
) {
  const { name, taskId } = (body.params ?? {}) as { name?: string; taskId?: string }
  const response = await fetching(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': revision,
      'mcp-method': body.method,
      ...((name ?? taskId) !== undefined && { 'mcp-name': name ?? taskId ?? '' }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
  })
  const text = await response.text()
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  const last = isStream
    ? text
        .trim()
        .split('\n')
        .findLast((line) => line.startsWith('data: '))
        ?.slice(6)
    : text
  return answerShape.parse(JSON.parse(last ?? '{}'))
}

/** The request's frame for raw requests: who calls, and what it can do. */
export function frame({ person, takesTasks = true }: TaskClientOptions = {}) {
  return {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': clientInfo,
    'io.modelcontextprotocol/clientCapabilities': {
      ...(person && { elicitation: { form: {} } }),
      ...(takesTasks && { extensions: { 'io.modelcontextprotocol/tasks': {} } }),
    },
  }
}

/** The stock client of the tasks extension on the stock client of MCP. */
export async function taskSession(url: URL, options: TaskClientOptions = {}) {
  const { token, person, fetch: fetching = fetch } = options
  const headers = token === undefined ? undefined : { authorization: `Bearer ${token}` }
  const clientCapabilities = { ...(person && { elicitation: { form: {} } }) }
  const client = new Client(clientInfo, {
    versionNegotiation: { mode: { pin: revision } },
    capabilities: clientCapabilities,
  })
  await client.connect(
    new StreamableHTTPClientTransport(url, { requestInit: { headers: headers ?? {} }, fetch: fetching }),
  )
  const session = createTaskSessionFromClient(client, {
    endpointId: url.href,
    rawDispatch: async (request) => {
      const { result, error } = await dispatch(url, request as { method: string }, headers ?? {}, fetching)
      if (error !== undefined) return { kind: 'error', error }
      return { kind: 'result', result: JSON.parse(JSON.stringify(result)) }
    },
    v2RequestFraming: { protocolVersion: revision, clientInfo, clientCapabilities },
    onInputRequest: async (request: { params?: object }, context: { inputId?: string }) => {
      const { message } = z.object({ message: z.string() }).parse(request.params)
      if (person === undefined) throw new Error(`No person to ask: ${message}`)
      return (await person(message, context.inputId ?? '')) as never
    },
  })
  const close = async () => {
    await session.close()
    await client.close()
  }
  return { session, close }
}
