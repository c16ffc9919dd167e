import { simulatedRuntime, type Envelope, type Originator, type SendOutcome, type Sessions } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import { AskDigest, type GatheredAsk } from './ask-digest.ts'
import { keyStore } from './key-store.test-helper.ts'
import { StoreCaps } from './store-caps.ts'

const desk: Originator = {
  id: 'sms:desk',
  transport: 'sms',
  deliveryClass: 'buffered',
  principal: { kind: 'user', id: 'desk', tenant: 'default' },
}
const tenMinutes = 10 * 60_000

function request(approvalId: string): Envelope {
  const of = { toolCallId: 'c', handler: 'clerk', turn: 't', session: 's' }
  const data = { approvalId, toolName: 'pay', args: {}, requestedAt: '2026-11-16T00:00:00.000Z', ...of }
  const meta = { sessionId: 's', turnId: 't', eventId: 'e', originatorId: desk.id, turnState: 'suspended' }
  const part = { data, metadata: { partType: 'approval-request' } }
  return { role: 'agent', parts: [part], meta } as unknown as Envelope
}

/** Processes on one store, each with a digest that lets every second request wait for the next message about all. */
function context() {
  const { store } = keyStore()
  const runtime = simulatedRuntime()
  const pending = ['a1', 'a2', 'a3']
  const sent: { process: string; key: string; count: number }[] = []
  const begin = async (process: string, send?: () => Promise<SendOutcome>) => {
    const ending = new AbortController()
    const digest = new AskDigest({
      store,
      runtime,
      transport: 'sms',
      tenant: 'default',
      asksPerWindow: 1,
      caps: new StoreCaps(store, 'caps:', runtime.clock),
      sessions: { view: async () => ({ turn: { pendingApprovals: pending } }) } as unknown as Sessions,
      send: async (asks: readonly GatheredAsk[], key: string) => {
        sent.push({ process, key, count: asks.length })
        return send === undefined ? { status: 'sent' } : send()
      },
    })
    await digest.start(ending.signal)
    return { digest, kill: () => ending.abort() }
  }
  const ask = async ({ digest }: { digest: AskDigest }) => {
    for (const approvalId of pending) await digest.admit('desk', desk, request(approvalId), approvalId)
  }
  return { runtime, sent, begin, ask }
}

test('the requests that were gathered come in one message', async () => {
  const { runtime, sent, begin, ask } = context()
  await ask(await begin('first'))
  await runtime.clock.advance(tenMinutes)
  await runtime.clock.advance(tenMinutes)
  expect(sent).toEqual([{ process: 'first', key: expect.any(String), count: 3 }])
})

test('a message that a killed process was about to send is sent by the next one, under the same key', async () => {
  const { runtime, sent, begin, ask } = context()
  const first = await begin('first', () => new Promise<never>(() => {}))
  await ask(first)
  await runtime.clock.advance(tenMinutes)
  first.kill()
  await begin('second')
  await runtime.clock.advance(tenMinutes)
  expect(sent.map(({ process }) => process)).toEqual(['first', 'second'])
  expect(sent[1]?.key).toBe(sent[0]?.key)
})

test('of two processes one sends it', async () => {
  const { runtime, sent, begin, ask } = context()
  await ask(await begin('first'))
  await begin('second')
  await runtime.clock.advance(tenMinutes)
  await runtime.clock.advance(tenMinutes)
  expect(sent).toHaveLength(1)
})
