import { createBeach, defineActor, type BeachOptions } from '@cool-ai/beach'
import { defineTool, llmActor, scriptedModel } from '@cool-ai/beach-llm'
import { testAgent } from '@cool-ai/beach-testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { anna, smsContext } from '../sms/sms-context.ts'
import { until } from '../support/phone-context.ts'
import { recorded } from './recorded.ts'

async function start(options: Partial<BeachOptions> & Pick<BeachOptions, 'actors'>) {
  const beach = await createBeach({ agent: { id: 'clerk', name: 'Clerk' }, data: 'memory', ...options })
  onTestFinished(() => beach.close())
  const url = (path: string) => `http://127.0.0.1${path}`
  const opened = await beach.fetch(new Request(url('/sessions'), { method: 'POST' }))
  const { sessionId, token } = (await opened.json()) as { sessionId: string; token: string }
  const post = (path: string, body: unknown, more: Record<string, string> = {}) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...more }
    return beach.fetch(new Request(url(path), { method: 'POST', headers, body: JSON.stringify(body) }))
  }
  const say = (text: string) => post(`/sessions/${sessionId}/messages`, { text })
  return { beach, sessionId, post, say, token, url }
}

const respond = (text: string) => ({
  respond: { turnState: 'complete' as const, parts: [{ metadata: { partType: 'response' as const }, text }] },
})
const marker = 'Wilhelmina'

const pay = defineTool({
  name: 'pay',
  description: 'Pays someone.',
  inputSchema: z.object({ to: z.string() }),
  requiresApproval: true,
  approvalExpiresMs: 60_000,
  handler: ({ to }) => `${to} has it.`,
})
const model = scriptedModel({
  rules: [
    { when: ({ results }) => results.size > 0, say: () => respond(`Paid ${marker}.`) },
    { say: () => ({ tools: [{ name: 'pay', args: { to: marker } }] }) },
  ],
})

describe('lines of the log', () => {
  test('each request, turn, model call, tool and decision has one, with its session, turn and trace, and no word of it', async () => {
    const { runtime, lines, written } = recorded()
    const clerk = llmActor({ name: 'clerk', prompt: 'You pay.', model, tools: [pay] })
    const { sessionId, say, post, beach } = await start({ actors: { clerk }, runtime })
    expect((await say(`Pay ${marker}`)).status).toBe(202)
    await until(() => lines('turn').length === 1)
    const by = { kind: 'operator', id: 'op', tenant: 'default' } as const
    const { turn } = await beach.sessions.view(sessionId, by)
    const [approval = ''] = turn?.pendingApprovals ?? []
    const decided = await post(`/sessions/${sessionId}/approvals/${approval}`, { decision: 'granted', reason: marker })
    expect(decided.status).toBe(200)
    await until(() => lines('turn').length === 2)
    const turnId = lines('turn')[0]?.turn
    const trace = lines('turn')[0]?.trace
    const ids = { agent: 'clerk', session: sessionId, turn: turnId, trace }
    expect(trace).toMatch(/^[0-9a-f]{32}$/)
    expect(lines('turn')).toMatchObject([
      { ...ids, outcome: 'waiting', actor: 'clerk' },
      { ...ids, outcome: 'complete', actor: 'clerk' },
    ])
    expect(lines('model call')).toMatchObject([
      {
        ...ids,
        model: 'scripted',
        outcome: 'ok',
        finishReason: 'tool-calls',
        inputTokens: expect.any(Number) as number,
      },
      { ...ids, model: 'scripted', outcome: 'ok' },
    ])
    expect(lines('tool')).toMatchObject([{ ...ids, tool: 'pay', outcome: 'ok', level: 'info' }])
    expect(lines('decision')).toMatchObject([{ ...ids, approval, decision: 'granted' }])
    expect(lines('request')).toMatchObject([
      { method: 'POST', route: '/sessions', status: 201 },
      { ...ids, method: 'POST', route: '/sessions/:id/messages', status: 202 },
      { ...ids, method: 'POST', route: '/sessions/:id/approvals/:approvalId', status: 200 },
    ])
    expect(written.join('\n')).not.toContain(marker)
  })

  test('a model that is played from the record by a replay has none, and counts for nothing', async () => {
    const { runtime, lines } = recorded()
    const clerk = llmActor({
      instructions: 'You are a clerk.',
      model: scriptedModel({ rules: [{ say: () => respond('Yes.') }] }),
    })
    const token = 'o'.repeat(40)
    const options = { inspect: { operators: { olga: token } }, telemetry: { metrics: true } }
    const { beach, sessionId, say, url } = await start({ actors: { clerk }, runtime, ...options })
    await say('hello')
    await until(() => lines('turn').length === 1)
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const tokens = async () => {
      const answer = await beach.fetch(new Request(url('/metrics'), { headers }))
      return (await answer.text()).match(/^gen_ai_client_token_usage_count.*$/gm)
    }
    const before = await tokens()
    expect(before).toHaveLength(2)
    const path = url(`/inspect/api/sessions/${sessionId}/replay`)
    const replayed = await beach.fetch(new Request(path, { method: 'POST', headers, body: '{}' }))
    expect(await replayed.json()).toMatchObject({ same: true })
    expect([lines('model call').length, await tokens()]).toEqual([1, before])
  })

  test('a delivery has one, without the address that it goes to', async () => {
    const { runtime, lines, written } = recorded()
    const context = await smsContext()
    const logging = { ...context.runtime, logger: runtime.logger }
    const answer = defineActor(async ({ respond: say }) => {
      await say({ parts: [{ partType: 'response', text: `Hello ${marker}` }], turnState: 'complete' })
    })
    const process = await context.start(async () => {}, {}, { actors: { main: answer }, runtime: logging })
    expect(process.url).toContain('http')
    await context.twilio.write(anna, `I am ${marker}`)
    await until(() => lines('delivery').length === 1)
    expect(lines('delivery')).toMatchObject([
      { transport: 'sms', outcome: 'sent', attempt: 1, turn: lines('turn')[0]?.turn, trace: lines('turn')[0]?.trace },
    ])
    const all = written.join('\n')
    expect(all).not.toContain(marker)
    expect(all).not.toContain(anna)
    expect(all).not.toContain(anna.slice(1))
  })

  test('there are none at the level of warnings, and none of successful reads at that of information', async () => {
    const quiet = recorded('warn')
    const reported = recorded('info')
    const actors = {
      clerk: defineActor(async ({ respond: say }) => {
        await say({ parts: [{ partType: 'response', text: 'Yes.' }], turnState: 'complete' })
      }),
    }
    for (const { runtime } of [quiet, reported]) {
      const { say, beach, url } = await start({ actors, runtime })
      await say('hello')
      await beach.fetch(new Request(url('/healthz')))
      await beach.fetch(new Request(url('/nowhere')))
    }
    await until(() => reported.lines('turn').length === 1)
    expect(quiet.written).toEqual([])
    expect(reported.lines('request').map(({ method, route, status }) => [method, route ?? '', status])).toEqual([
      ['POST', '/sessions', 201],
      ['POST', '/sessions/:id/messages', 202],
      ['GET', '', 404],
    ])
  })
})

test('an error part has the trace id of its turn, by which an operator finds the turn', async () => {
  const clerk = defineActor(async () => {
    throw new Error('broken')
  })
  await using agent = await testAgent({ actors: { clerk } })
  const { turnState, parts, turnId } = await agent.say('hello')
  expect(turnState).toBe('error')
  const traceId = String(parts[0]?.metadata.traceId)
  expect(traceId).toMatch(/^[0-9a-f]{32}$/)
  const { sessions } = agent.beach
  const operator = { kind: 'operator', id: 'op', tenant: 'default' } as const
  const { sessionId } = agent.conversation
  expect(await sessions.tracedTurns(traceId, operator)).toEqual([{ sessionId, turnId }])
  expect(await sessions.tracedTurns(traceId, { ...operator, tenant: 'elsewhere' })).toEqual([])
  const user = { kind: 'user', id: 'anna', tenant: 'default' } as const
  await expect(sessions.tracedTurns(traceId, user)).rejects.toMatchObject({ code: 'FORBIDDEN' })
  await expect(sessions.tracedTurns('%', operator)).rejects.toMatchObject({ code: 'BAD_REQUEST' })
})

test('an error that an actor tells of itself has it too, and its line has the same', async () => {
  const { runtime, lines } = recorded()
  const clerk = defineActor(async ({ respond: say }) => {
    await say({ parts: [{ partType: 'error', text: 'No.' }], turnState: 'error' })
  })
  const { beach, sessionId, say } = await start({ actors: { clerk }, runtime })
  await say('hello')
  await until(() => lines('turn').length === 1)
  const [line] = lines('turn')
  const operator = { kind: 'operator', id: 'op', tenant: 'default' } as const
  expect(line).toMatchObject({ outcome: 'error', trace: expect.any(String) as string })
  expect(await beach.sessions.tracedTurns(line?.trace ?? '', operator)).toEqual([{ sessionId, turnId: line?.turn }])
})
