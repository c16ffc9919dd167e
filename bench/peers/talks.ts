import { call, type Sent } from '../http.ts'
import type { Wanted } from '../server/answer.ts'
import { Answer, type Answered } from './answer.ts'
import { openSession } from './open-session.ts'

/** A client that talks: one message after another, in conversations of ten turns. */
export interface Person {
  (wanted: Wanted): Promise<Answered>
  /** Closes what it has open. */
  readonly leave?: () => void
}

export const turnsOfConversation = 10

/** A client of a server that answers a message by one response, which is the whole turn. */
function byRequest(
  url: string,
  send: (conversation: string, text: string) => Sent & { readonly path?: string },
): Person {
  let conversation = ''
  let turns = 0
  return async (wanted) => {
    if (turns++ % turnsOfConversation === 0) conversation = crypto.randomUUID()
    const { path = '', headers, body } = send(conversation, JSON.stringify(wanted))
    const answer = new Answer()
    const response = await call(url + path, { headers: { accept: 'text/event-stream', ...headers }, body })
    for await (const chunk of response) answer.take(String(chunk))
    return answer.complete(wanted)
  }
}

/** A client of servers on bare `node:http`. */
export function plainPerson(url: string): Person {
  return byRequest(url, (conversation, text) => ({ body: { conversation, text } }))
}

/** A client of an agent by AG-UI, who has a token of it. Like all others, it sends the new message only. */
export async function aguiPerson(url: string): Promise<Person> {
  const { token } = await openSession(url)
  return byRequest(url, (threadId, text) => ({
    path: '/agui',
    headers: { authorization: `Bearer ${token}` },
    body: runOf(threadId, text),
  }))
}

/** A client of CopilotKit's runtime, which speaks AG-UI at an address of its own. */
export function copilotPerson(url: string): Person {
  return byRequest(url, (threadId, text) => ({ path: '/copilotkit/agent/weather/run', body: runOf(threadId, text) }))
}

function runOf(threadId: string, content: string) {
  return {
    threadId,
    runId: crypto.randomUUID(),
    messages: [{ id: crypto.randomUUID(), role: 'user', content }],
    tools: [],
    context: [],
    state: {},
    forwardedProps: {},
  }
}

/** A client of an agent by A2A, whose answers stream; the agent names the conversation when it begins. */
export function a2aPerson(url: string): Person {
  let contextId = ''
  let turns = 0
  return async (wanted) => {
    if (turns++ % turnsOfConversation === 0) contextId = ''
    const parts = [{ text: JSON.stringify(wanted) }]
    const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts, ...(contextId !== '' && { contextId }) }
    const body = { jsonrpc: '2.0', id: 1, method: 'SendStreamingMessage', params: { message } }
    const answer = new Answer()
    const response = await call(`${url}/a2a`, { headers: { 'a2a-version': '1.0', accept: 'text/event-stream' }, body })
    for await (const chunk of response) {
      answer.take(String(chunk))
      if (contextId === '') contextId = /"contextId":"([^"]+)"/.exec(String(chunk))?.[1] ?? ''
    }
    return answer.complete(wanted)
  }
}

/** A caller by MCP, as of revision 2026-07-28; each call is a conversation of its own. */
export function mcpPerson(url: string): Person {
  const name = 'ask_bench'
  const headers = {
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': name,
  }
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return byRequest(url, (_conversation, message) => ({
    path: '/mcp',
    headers,
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: { message }, _meta: meta },
    },
  }))
}
