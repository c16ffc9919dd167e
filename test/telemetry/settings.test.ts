import { randomBytes } from 'node:crypto'
import { hashApiKey, newApiKey } from '@cool-ai/beach-channel/auth'
import { expect, test } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { ServerProcess, startServer } from '../support/server-process.ts'
import { post, startReceiver } from '../webhook/webhook-context.ts'
import { found } from './spans.ts'

const program = 'test/telemetry/clerk-program.ts'

test('/metrics is for operators only, and counts what the agent does', async (context) => {
  const key = newApiKey()
  const receiver = await startReceiver()
  const variables = { BEACH_METRICS: 'on', RECEIVER: receiver.url, OPERATOR_HASH: hashApiKey(key) }
  const { url } = await startServer(context, { program, variables })
  const read = (headers: Record<string, string>) => fetch(`${url}/metrics`, { headers })
  expect((await read({})).status).toBe(401)
  const opened = await fetch(`${url}/sessions`, { method: 'POST' })
  const { token } = (await opened.json()) as { token: string }
  expect((await read({ authorization: `Bearer ${token}` })).status).toBe(403)
  const cookie = opened.headers.get('set-cookie')
  expect((await read({ cookie: cookie ?? 'beach_clerk=x' })).status).toBe(401)
  expect((await post(`${url}/webhooks/notes`, { text: 'Anna' }, { id: randomBytes(8).toString('hex') })).status).toBe(
    202,
  )
  await receiver.count(1)
  const metrics = await read({ 'x-api-key': key })
  expect(metrics.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const lines = (await metrics.text()).split('\n')
  expect(lines).toEqual(
    expect.arrayContaining([
      'beach_turns_total{outcome="complete"} 1',
      'beach_messages_total{transport="webhook",outcome="received"} 1',
      'beach_tool_duration_seconds_count{tool="look_up",outcome="ok"} 1',
      'beach_request_duration_seconds_count{method="POST",route="/webhooks/:name",status="202"} 1',
      'beach_turns_waiting 0',
    ]),
  )
  // Each line is one of the format.
  const form = /^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\})? [0-9.e+-]+)?$/
  expect(lines.filter((line) => !form.test(line))).toEqual([])
  expect(JSON.stringify(lines)).not.toContain('Anna')
})

test('without BEACH_METRICS and BEACH_LOG there are no metrics, and nothing is written', async (context) => {
  const receiver = await startReceiver()
  const server = await startServer(context, { program, variables: { RECEIVER: receiver.url } })
  expect((await fetch(`${server.url}/metrics`)).status).toBe(404)
  await post(`${server.url}/webhooks/notes`, { text: 'Anna' })
  await receiver.count(1)
  expect(server.output).toBe('')
})

test('BEACH_LOG gives a line for each turn, as text or as JSON', async (context) => {
  const receiver = await startReceiver()
  for (const [log, form] of [
    [
      'info,text',
      /^\d\d:\d\d:\d\d\.\d{3} info {2}turn agent=clerk session=sess_\w+ turn=turn_\w+ trace=[0-9a-f]{32} .*$/m,
    ],
    ['info', /^\{"time":"[^"]+","level":"info","message":"turn","agent":"clerk","session":"sess_/m],
  ] as const) {
    const server = await startServer(context, { program, variables: { RECEIVER: receiver.url, BEACH_LOG: log } })
    await post(`${server.url}/webhooks/notes`, { text: 'Anna' }, { id: log })
    expect(await found(() => form.test(server.output))).toBe(true)
    expect(server.output).not.toContain('Anna')
  }
})

test.each([
  ['BEACH_LOG', 'loud', 'BEACH_LOG is "loud". Give it a level'],
  ['BEACH_METRICS', 'yes', 'BEACH_METRICS is "yes". Set it to on or off.'],
])('a program with a wrong %s does not start, and says what to write', async (name, value, sentence) => {
  await using server = new ServerProcess({ program, port: await freePort(), variables: { [name]: value } })
  await expect(server.start()).rejects.toThrow(sentence)
})
