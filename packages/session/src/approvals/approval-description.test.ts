import {
  BeachError,
  PartTypeRegistry,
  simulatedRuntime,
  TurnStateRegistry,
  type Actor,
  type Originator,
} from '@cool-ai/beach-core'
import type { SessionEvent } from '@cool-ai/beach-core/log'
import type { ApprovalDescription, PlannedTool } from '@cool-ai/beach-core/ports'
import { askedApproval } from '@cool-ai/beach-protocol'
import { expect, onTestFinished, test } from 'vitest'
import { SessionTurnManager } from '../host/session-turn-manager.ts'
import { MemoryStore } from '../stores/memory/memory-store.ts'

const alice = { kind: 'user', id: 'alice', tenant: 't' } as const
const viewer: Originator = { id: 'v', transport: 'sse', deliveryClass: 'streaming', principal: alice }

/** An agent that pays, described to its approver by `describe`; what was asked, and what came of it. */
async function talk(describe: () => Promise<ApprovalDescription>) {
  const runtime = simulatedRuntime()
  const store = new MemoryStore({ runtime })
  const outcomes: unknown[] = []
  let ran = 0
  const pay: PlannedTool<string> = {
    call: { name: 'pay', args: { total: 5 }, requiresApproval: true, idempotent: true },
    describe,
    run: async () => {
      ran++
      return 'paid'
    },
  }
  const actor: Actor = {
    run: async (turn) => {
      outcomes.push((await turn.tools([pay]))[0])
      const parts = [{ partType: 'response', text: 'Done.' }]
      await turn.commit({ turnState: 'complete', parts, hash: 'end' })
    },
  }
  const sessions = new SessionTurnManager({
    store,
    runtime,
    partTypes: PartTypeRegistry.canonical(),
    turnStates: TurnStateRegistry.canonical(),
    actors: { actor },
    entry: 'actor',
  })
  sessions.start()
  onTestFinished(() => sessions.stop())
  const session = await sessions.open({ principal: alice })
  await sessions.post(session, { parts: [{ text: 'go', metadata: { partType: 'message' } }], from: viewer }, alice)
  const titles: string[] = []
  const end = new AbortController()
  for await (const frame of sessions.follow(session, viewer, undefined, end.signal)) {
    const asked = frame.kind === 'part' ? askedApproval(frame.part) : undefined
    if (asked !== undefined) {
      titles.push(asked.title)
      await sessions.decide(asked.request.approvalId, { decision: 'granted' }, alice)
    }
    if (frame.kind === 'settled') break
  }
  end.abort()
  const events = (await store.read(session, 0)).map(({ data }) => data as SessionEvent)
  return { titles, outcomes, ran: () => ran, events }
}

test('what was granted is the call as it was described: described otherwise, it is asked for anew', async () => {
  const prices = ['£5', '£6', '£6']
  const { titles, outcomes, ran, events } = await talk(async () => ({ title: `Pay ${prices.shift() ?? '£6'}` }))
  expect(titles).toEqual(['Pay £5', 'Pay £6'])
  expect(outcomes.at(-1)).toEqual({ outcome: 'ok', value: 'paid' })
  expect(ran()).toBe(1)
  expect(events.filter(({ type }) => type === 'approvalVoided')).toHaveLength(1)
})

test('a call that cannot be described fails, and no approver is asked', async () => {
  const describe = () => Promise.reject(new BeachError('BAD_REQUEST', 'The basket is empty.'))
  const { titles, outcomes, ran } = await talk(describe)
  expect(titles).toEqual([])
  expect(outcomes).toEqual([{ outcome: 'failed', reason: 'The basket is empty.' }])
  expect(ran()).toBe(0)
})
