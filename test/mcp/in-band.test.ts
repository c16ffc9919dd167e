import { describe, expect, test } from 'vitest'
import { answerOf, connect, eras, newToken, say, startConcierge, textsOf, type Era } from './support.ts'

describe.each(Object.keys(eras) as Era[])('a client of the %s era that cannot show forms', (era) => {
  test('is asked back in the answer, and answers with its next message', async () => {
    const { url } = await startConcierge()
    const client = await connect(url, era)
    const asked = await say(client, 'find me a flight')
    expect(textsOf(asked)[0]).toEqual({ text: 'From Gatwick or Heathrow?', audience: ['user', 'assistant'] })
    const { conversationId, meta } = answerOf(asked)
    expect(meta.turnState).toBe('clarifying')
    expect(textsOf(await say(client, 'Gatwick', conversationId))[0]?.text).toBe('One flight.')
  })

  test.each([
    ['granted', 'Booked: ref-1.'],
    ['denied', 'Not booked. too dear'],
  ] as const)('decides by the id of the approval: %s', async (decision, answer) => {
    const { url } = await startConcierge()
    const client = await connect(url, era)
    const asked = await say(client, 'book it')
    const { conversationId, meta, parts, pendingApprovals = [] } = answerOf(asked)
    expect(meta).toMatchObject({ turnState: 'suspended' })
    const [approvalId] = pendingApprovals
    expect(parts.find(({ metadata }) => metadata.partType === 'approval-request')?.data).toMatchObject({
      approvalId,
      toolName: 'book',
      args: { flight: 'BA 2043', price: 187 },
    })
    expect(textsOf(asked).at(-1)?.text).toContain(`call ask_the_concierge_resume with approvalId "${approvalId}"`)
    const decide = (args: Record<string, unknown>) =>
      client.callTool({ name: 'ask_the_concierge_resume', arguments: { conversationId, approvalId, ...args } })
    const reason = decision === 'denied' ? { reason: 'too dear' } : {}
    const decided = await decide({ decision, ...reason })
    expect(textsOf(decided)[0]?.text).toBe(answer)
    expect(answerOf(decided)).toMatchObject({ conversationId, meta: { turnState: 'complete', turnId: meta.turnId } })
    // The same decision again gets what came of it.
    expect(textsOf(await decide({ decision }))[0]?.text).toBe(answer)
    expect(await decide({ decision: 'perhaps' })).toMatchObject({ isError: true })
    expect(await decide({ decision, approvalId: 'approval_none' })).toMatchObject({
      isError: true,
      content: [{ text: 'There is no such approval, or it is not yours to decide.' }],
    })
  })

  test('gets what is said on the way as progress, if it wants to', async () => {
    const { url } = await startConcierge()
    const client = await connect(url, era)
    const received: unknown[] = []
    const params = { name: 'ask_the_concierge', arguments: { message: 'Gatwick' } }
    const answer = await client.callTool(params, { onprogress: (progress) => received.push(progress) })
    expect(received).toEqual([
      { progress: 0.01, message: 'Looking.' },
      { progress: 2, total: 3, message: 'Airlines: 2 of 3' },
    ])
    const types = answerOf(answer).parts.map(({ metadata }) => metadata.partType)
    expect(types).toEqual(['response', 'domain-data'])
    expect(answerOf(await client.callTool(params)).parts).toHaveLength(2)
  })

  test('is told what went wrong without a word of our insides', async () => {
    const { url } = await startConcierge()
    const client = await connect(url, era)
    const broken = await say(client, 'break')
    expect(broken.isError).toBe(true)
    expect(JSON.stringify(broken)).not.toContain('secret insides')
    expect(await say(client, ' ')).toMatchObject({ isError: true, content: [{ text: /message:/ }] })
    await expect(client.callTool({ name: 'rm', arguments: {} })).rejects.toThrow(/There is no tool 'rm'/)
  })

  test('that goes away takes its turn with it', async () => {
    const { url, serving } = await startConcierge()
    const client = await connect(url, era, { token: await newToken(serving.url) })
    const gone = new AbortController()
    const waiting = client.callTool(
      { name: 'ask_the_concierge', arguments: { message: 'wait' } },
      { signal: gone.signal, onprogress: () => gone.abort(new Error('gone')) },
    )
    await expect(waiting).rejects.toThrow(/gone/)
    const { resources } = await client.listResources()
    const sessionId = resources[0]?.name ?? ''
    const answer = await say(client, 'hello', sessionId)
    expect(textsOf(answer)[0]?.text).toBe('You said hello')
  })
})

test('an agent that stops ends the call, and leaves the turn to its next process', async () => {
  const { url, serving } = await startConcierge()
  const client = await connect(url, 'modern')
  const waiting = client.callTool(
    { name: 'ask_the_concierge', arguments: { message: 'wait' } },
    { onprogress: () => void serving.close() },
  )
  const text = expect.stringMatching(/The agent is stopping. The conversation "conv_/) as string
  expect(await waiting).toMatchObject({ isError: true, content: [{ text }] })
})

describe('a user who is shown a form', () => {
  test.each([
    ['declines', { action: 'decline' }, 'Not booked. This was not approved.'],
    ['denies', { action: 'accept', content: { decision: 'denied', reason: 'no' } }, 'Not booked. no'],
  ] as const)('%s, and it is not done', async (_, result, answer) => {
    const { url } = await startConcierge()
    const client = await connect(url, 'modern', { person: () => result })
    expect(textsOf(await say(client, 'book it'))[0]?.text).toBe(answer)
  })

  test.each([
    ['cancels', { action: 'cancel' }],
    ['fills in something else', { action: 'accept', content: { decision: 'perhaps' } }],
  ] as const)('%s, and nothing is decided: the approval waits', async (_, result) => {
    const { url } = await startConcierge()
    const client = await connect(url, 'modern', { person: () => result })
    const { conversationId, meta, pendingApprovals } = answerOf(await say(client, 'book it'))
    expect(meta.turnState).toBe('suspended')
    const args = { conversationId, approvalId: pendingApprovals?.[0], decision: 'granted' }
    const booked = await client.callTool({ name: 'ask_the_concierge_resume', arguments: args })
    expect(textsOf(booked)[0]?.text).toBe('Booked: ref-1.')
  })

  test('does not answer a question, and the question stands in the answer', async () => {
    const { url } = await startConcierge()
    const client = await connect(url, 'modern', { person: () => ({ action: 'cancel' }) })
    const asked = await say(client, 'find me a flight')
    expect(textsOf(asked)[0]?.text).toBe('From Gatwick or Heathrow?')
  })
})

describe('the state of a call that waits', () => {
  /** A modern client that does its rounds by hand. */
  async function rounds(options: { token?: string } = {}) {
    const running = await startConcierge()
    const token = options.token ?? (await newToken(running.serving.url))
    let id = 0
    const call = async (params: Record<string, unknown>, as = token) => {
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'hand', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
      }
      const response = await fetch(running.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': 'ask_the_concierge',
          authorization: `Bearer ${as}`,
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: ++id,
          method: 'tools/call',
          params: { name: 'ask_the_concierge', _meta, ...params },
        }),
      })
      return (await response.json()) as {
        result?: { resultType: string; requestState: string; inputRequests: Record<string, unknown> } & Record<
          string,
          unknown
        >
        error?: { code: number; message: string }
      }
    }
    return { ...running, call }
  }

  const answer = (text: string) => ({ answer: { action: 'accept', content: { answer: text } } })

  test('can be sent again, and is one message all the same', async () => {
    const { call } = await rounds()
    const first = await call({ arguments: { message: 'find me a flight' } })
    expect(first.result).toMatchObject({ resultType: 'input_required', inputRequests: { answer: {} } })
    const requestState = first.result?.requestState
    const params = { arguments: { message: 'find me a flight' }, requestState, inputResponses: answer('Gatwick') }
    const one = await call(params)
    const two = await call(params)
    expect(two.result?.structuredContent).toEqual(one.result?.structuredContent)
    const other = await call({ ...params, inputResponses: answer('Heathrow') })
    expect(other.result).toMatchObject({ isError: true })
  })

  test('is not taken when it was altered, nor from another caller', async () => {
    const { call, serving } = await rounds()
    const first = await call({ arguments: { message: 'book it' } })
    const { requestState = '', inputRequests = {} } = first.result ?? {}
    const [approvalId = ''] = Object.keys(inputRequests)
    const inputResponses = { [approvalId]: { action: 'accept', content: { decision: 'granted' } } }
    const params = { arguments: { message: 'book it' }, inputResponses }
    const altered = `${requestState.slice(0, 20)}A${requestState.slice(21)}`
    expect((await call({ ...params, requestState: altered })).error?.code).toBe(-32_602)
    const stranger = await newToken(serving.url)
    expect((await call({ ...params, requestState }, stranger)).error?.code).toBe(-32_602)
    const granted = await call({ ...params, requestState })
    expect(JSON.stringify(granted.result?.content)).toContain('Booked: ref-1.')
    const again = await call({ ...params, requestState })
    expect(JSON.stringify(again.result?.content)).toContain('Booked: ref-1.')
  })
})

test('a call that takes too long ends with advice', async () => {
  const { url } = await startConcierge({ protocols: { mcp: { maxCallMs: 1 } } })
  const client = await connect(url, 'modern')
  const late = await say(client, 'wait')
  expect(late).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/still works on this/) as string }],
  })
})
