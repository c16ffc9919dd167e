import { defineActor } from '@cool-ai/beach'
import { silentLogger, systemRuntime } from '@cool-ai/beach-core'
import { testAgent } from '@cool-ai/beach-testing'
import { expect, test } from 'vitest'
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
