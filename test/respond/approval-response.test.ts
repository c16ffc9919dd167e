import { defineActor } from '@cool-ai/beach'
import { silentLogger, systemRuntime } from '@cool-ai/beach-core'
import { testAgent } from '@cool-ai/beach-testing'
import { expect, test } from 'vitest'
import { answerOf, connect, eras, newToken, textsOf, type Era } from '../mcp/support.ts'
import { openSocket } from '../support/socket.ts'

// Document 004, "Envelope parts": an approval-response comes in as a part, as by the routes for decisions.

const json = { 'content-type': 'application/json' }
const clerk = defineActor(async ({ tool, respond }) => {
  const outcome = await tool({ name: 'pay', args: { invoice: 'A1' }, requiresApproval: true }, async () => 'paid')
  await respond({ parts: [{ partType: 'response', text: outcome.outcome }], turnState: 'complete' })
})

/** An agent that waits for an approval, and how to reach its session. */
async function asking() {
  const agent = await testAgent({ actors: { clerk }, runtime: systemRuntime({ logger: silentLogger }) })
  const url = await agent.serve()
  const post = async (path: string, body: object, by?: string) => {
    const headers = { ...json, ...(by !== undefined && { authorization: `Bearer ${by}` }) }
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    return { status: response.status, body: (await response.json()) as Record<string, string> }
  }
  const { sessionId = '', token = '' } = (await post('/sessions', {})).body
  const other = (await post('/sessions', {})).body
  await post(`/sessions/${sessionId}/messages`, { text: 'Pay A1.' }, token)
  const view = async () => {
    const response = await fetch(`${url}/sessions/${sessionId}`, { headers: { authorization: `Bearer ${token}` } })
    return (await response.json()) as { turn?: { pendingApprovals?: string[] } }
  }
  let approvalId: string | undefined
  while (approvalId === undefined) approvalId = (await view()).turn?.pendingApprovals?.[0]
  const settled = async () => {
    while ((await view()).turn !== undefined) await new Promise((resolve) => setImmediate(resolve))
  }
  return { agent, url, post, settled, sessionId, token, other, approvalId }
}

const responsePart = (approvalId: string, decision: string) => ({
  data: { approvalId, decision, decidedBy: 'somebody-else', decidedAt: '2001-01-01T00:00:00Z' },
  metadata: { partType: 'approval-response' },
})

test('an approval-response decides by POST /messages, with the checks of the route for decisions', async () => {
  const { agent, post, settled, sessionId, token, other, approvalId } = await asking()
  await using _ = agent
  const parts = [responsePart(approvalId, 'granted')]
  const send = (body: object, session: string | undefined = sessionId, by: string | undefined = token) =>
    post(`/sessions/${session}/messages`, body, by)
  expect(await send({ parts }, other.sessionId, other.token)).toMatchObject({ status: 404 })
  expect(await send({ parts: [responsePart(approvalId, 'perhaps')] })).toMatchObject({ status: 422 })
  expect(await send({ parts: [...parts, { text: 'and thanks' }] })).toMatchObject({ status: 422 })
  expect(await send({ parts })).toMatchObject({ status: 200, body: { status: 'decided', decision: 'granted' } })
  await settled()
  expect(await send({ parts: [responsePart(approvalId, 'denied')] })).toMatchObject({
    status: 409,
    body: { error: { code: 'ALREADY_DECIDED' } },
  })
})

test('an approval-response decides by WebSocket', async (context) => {
  const { agent, url, settled, sessionId, token, approvalId } = await asking()
  await using _ = agent
  const headers = { authorization: `Bearer ${token}` }
  const socket = openSocket(context, `${url}/sessions/${sessionId}/ws`, { headers })
  await socket.ready()
  await socket.ask({ type: 'send', parts: [responsePart(approvalId, 'denied')] })
  await settled()
  const said = socket.frames.flatMap((frame) =>
    frame.kind === 'part' && frame.role === 'agent' ? [frame.part.text] : [],
  )
  expect(said.at(-1)).toBe('denied')
  expect(socket.frames.find((frame) => frame.kind === 'decision')).toMatchObject({ outcome: 'denied', by: 'anonymous' })
})

test.each(Object.keys(eras) as Era[])(
  'an approval-response decides by MCP, for a client of the %s era',
  async (era) => {
    const agent = await testAgent({ actors: { clerk }, runtime: systemRuntime({ logger: silentLogger }) })
    await using _ = agent
    const base = await agent.serve()
    const url = new URL('/mcp', base)
    const client = await connect(url, era, { token: await newToken(base) })
    const stranger = await connect(url, era, { token: await newToken(base) })
    const [tool = '', resume = ''] = (await client.listTools()).tools.map(({ name }) => name)
    const asked = await client.callTool({ name: tool, arguments: { message: 'Pay A1.' } })
    const { conversationId, pendingApprovals: [approvalId = ''] = [] } = answerOf(asked)
    const decide = (args: Record<string, unknown>, by = client) =>
      by.callTool({ name: resume, arguments: { conversationId, ...args } })
    const granted = { parts: [responsePart(approvalId, 'granted')] }
    const refused = async (args: Record<string, unknown>, why: RegExp, by = client) =>
      expect(await decide(args, by)).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(why) }] })
    await refused(granted, /no such conversation, or it is not yours/, stranger)
    await refused({ parts: [responsePart(approvalId, 'perhaps')] }, /`decision`, granted or denied/)
    await refused({ parts: [...granted.parts, ...granted.parts] }, /parts: /)
    await refused({ ...granted, approvalId, decision: 'denied' }, /either `approvalId` and `decision`, or `parts`/)
    await refused({ approvalId }, /either `approvalId` and `decision`, or `parts`/)
    const other = { data: { approvalId, decision: 'granted' }, metadata: { partType: 'message' } }
    await refused({ parts: [other] }, /approval-response/)
    expect(textsOf(await decide(granted))[0]?.text).toBe('ok')
    expect(textsOf(await decide(granted))[0]?.text).toBe('ok')
    await refused({ parts: [responsePart(approvalId, 'denied')] }, /granted already, and that stands/)
  },
)
