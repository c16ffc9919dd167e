import { describe, expect, test } from 'vitest'
import { newToken, startConcierge } from '../support.ts'
import { ask, frame, type TaskPerson } from './task-client.ts'

// The tasks extension of MCP, "Task Status Notifications".

const tool = 'ask_the_concierge'
const person: TaskPerson = () => ({ action: 'cancel' })

interface Sent {
  readonly id?: number
  readonly method?: string
  readonly params?: {
    readonly status?: string
    readonly taskId?: string
    readonly notifications?: object
    readonly inputRequests?: object
  }
  readonly result?: object
  readonly error?: { readonly code: number; readonly data?: object }
}

/** Asks to be told of tasks, and reads what comes until the server ends the stream. */
async function* listen(url: URL, taskIds: readonly unknown[], token: string, takesTasks = true): AsyncGenerator<Sent> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
      authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 7,
      method: 'subscriptions/listen',
      params: { notifications: { taskIds }, _meta: frame({ person, takesTasks }) },
    }),
  })
  if (response.headers.get('content-type')?.startsWith('application/json') === true) {
    yield (await response.json()) as Sent
    return
  }
  let text = ''
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    const events = text.split('\n\n')
    text = events.pop() ?? ''
    for (const event of events) {
      const data = event.split('\n').find((line) => line.startsWith('data: '))
      if (data !== undefined) yield JSON.parse(data.slice('data: '.length)) as Sent
    }
  }
}

async function begin(url: URL, token: string, message: string): Promise<string> {
  const { result } = await ask(url, 'tools/call', { name: tool, arguments: { message } }, { token, person })
  return (result as { taskId: string }).taskId
}

describe('a client that listens to its tasks', () => {
  test('is told of each change as tasks/get would say it, and that it was all', async () => {
    const { url, serving } = await startConcierge({ protocols: { mcp: { tasks: { afterMs: 0 } } } })
    const token = await newToken(serving.url)
    const taskId = await begin(url, token, 'book it')
    const other = await begin(url, await newToken(serving.url), 'hello')
    const seen: (string | undefined)[] = []
    const last: Sent[] = []
    for await (const sent of listen(url, [taskId, other, 'x'], token)) {
      last.push(sent)
      if (sent.method === 'notifications/subscriptions/acknowledged') {
        expect(sent.params?.notifications).toEqual({ taskIds: [taskId] })
      }
      if (sent.method !== 'notifications/tasks') continue
      seen.push(sent.params?.status)
      expect(sent.params).toMatchObject({ taskId, _meta: { 'io.modelcontextprotocol/subscriptionId': 7 } })
      if (sent.params?.status !== 'input_required') continue
      const { result: now } = await ask(url, 'tasks/get', { taskId }, { token, person })
      expect(now).toMatchObject({ status: 'input_required', inputRequests: sent.params.inputRequests })
      const [key = ''] = Object.keys((now as { inputRequests: object }).inputRequests)
      const inputResponses = { [key]: { action: 'accept', content: { decision: 'granted' } } }
      await ask(url, 'tasks/update', { taskId, inputResponses }, { token, person })
    }
    expect(last[0]?.method).toBe('notifications/subscriptions/acknowledged')
    expect(seen.filter((status, index) => status !== seen[index - 1])).toEqual([
      ...(seen[0] === 'working' ? ['working'] : []),
      'input_required',
      'working',
      'completed',
    ])
    expect(last.at(-1)).toMatchObject({ id: 7, result: { resultType: 'complete' } })
    const { result } = await ask(url, 'tasks/get', { taskId }, { token, person })
    expect(last.at(-2)?.params).toMatchObject({ result: (result as { result: object }).result })
  })

  test('of others, or of none, is told that there is nothing to listen to', async () => {
    const { url, serving } = await startConcierge({ protocols: { mcp: { tasks: { afterMs: 0 } } } })
    const taskId = await begin(url, await newToken(serving.url), 'wait')
    const sent = await Array.fromAsync(listen(url, [taskId], await newToken(serving.url)))
    expect(sent).toMatchObject([{ params: { notifications: {} } }, { result: { resultType: 'complete' } }])
  })

  test('must say that it takes tasks', async () => {
    const { url, serving } = await startConcierge()
    const [refused] = await Array.fromAsync(listen(url, ['x'], await newToken(serving.url), false))
    expect(refused).toMatchObject({
      id: 7,
      error: { code: -32_021, data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } } },
    })
  })

  test('to very many listens to the first fifty, and its streams count as open calls', async () => {
    const { url, serving } = await startConcierge({ protocols: { mcp: { tasks: { afterMs: 0 }, maxCalls: 1 } } })
    const token = await newToken(serving.url)
    const taskId = await begin(url, token, 'wait')
    const many = [...Array.from({ length: 50 }, (_, index) => `${taskId}0${index}`), taskId]
    const [acknowledged] = await Array.fromAsync(listen(url, many, token))
    expect(acknowledged?.params?.notifications).toEqual({})
    const first = listen(url, [taskId], token)
    await first.next()
    const [refused] = await Array.fromAsync(listen(url, [taskId], token))
    expect(refused?.error).toMatchObject({ data: { code: 'TOO_MANY' } })
    await first.return(undefined)
  })
})
