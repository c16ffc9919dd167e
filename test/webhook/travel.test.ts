import { isBeachError, type Envelope } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import { automation } from '../../examples/travel/automation.ts'
import { startServer } from '../support/server-process.ts'
import { post, settled, startReceiver, texts, whsec } from './webhook-context.ts'

const program = 'examples/travel/start.mjs'

test('a program talks to the travel agent, approves a booking, and still has its answer after a kill', async (context) => {
  const variables = { BEACH_SCRIPT_MS: '0', TRAVEL_HOOK_SECRET: whsec(1), FARE_CHECK: '0 8 * * *' }
  const server = await startServer(context, { program, variables })
  const hook = `${server.url}/webhooks/travel`
  const say = (text: string, id: string) => post(hook, { text, thread: 'corfu' }, { id })
  const found = (await (await say('find me flights to Corfu in August', 'm1')).json()) as Envelope
  expect(texts(found).join(' ')).toContain('easyJet')
  expect(found.parts.map(({ metadata }) => metadata.partType)).toContain('domain-data')
  await say('add BA 2043', 'm2')
  const asked = await say('book it', 'm3')
  expect(asked.status).toBe(202)
  const { approvals, statusUrl } = (await asked.json()) as { approvals: string[]; statusUrl: string }
  const status = new URL(statusUrl, server.url).href
  await server.kill9()
  await server.start()
  expect((await settled(status)).status).toBe('suspended')
  const [approvalId] = approvals
  expect((await post(hook, { approvalId, decision: 'granted' }, { id: 'm4' })).status).toBe(200)
  for (let done = await settled(status); ; done = await settled(status)) {
    if (done.status === 'suspended') continue
    expect(texts(done.envelope).join(' ')).toMatch(/Your reference is ET-/)
    break
  }
})

test('answers of the travel agent are sent to an address', async (context) => {
  const receiver = await startReceiver()
  const variables = { BEACH_SCRIPT_MS: '0', TRAVEL_HOOK_SECRET: whsec(1), TRAVEL_CALLBACK_URL: receiver.url }
  const { url } = await startServer(context, { program, variables })
  expect((await post(`${url}/webhooks/travel`, { text: 'hotels in Lisbon' })).status).toBe(202)
  await receiver.count(1)
  expect(JSON.parse(receiver.received.at(-1)?.body ?? '')).toMatchObject({ role: 'agent' })
})

test('without anything in the environment there is neither; what is wrong there is said', async () => {
  expect(automation({})).toEqual([])
  for (const environment of [{ FARE_CHECK: 'soon' }, { TRAVEL_HOOK_SECRET: 'secret' }]) {
    expect(() => automation(environment)).toThrow(
      expect.toSatisfy((error) => isBeachError(error, 'INVALID_CONFIGURATION')),
    )
  }
})
