import { PartTypeRegistry, simulatedRuntime, TurnStateRegistry, type Originator, type Part } from '@cool-ai/beach-core'
import type { SessionEvent } from '@cool-ai/beach-core/log'
import { askedApproval } from '@cool-ai/beach-protocol'
import { expect, test } from 'vitest'
import { defineActor } from '../turn/function-actor.ts'
import { MemoryStore } from '../stores/memory/memory-store.ts'
import { SessionTurnManager } from '../host/session-turn-manager.ts'

const alice = { kind: 'user', id: 'alice', tenant: 't' } as const
const viewer: Originator = { id: 'v', transport: 'sse', deliveryClass: 'streaming', principal: alice }

test('what is granted is the call as it was described: described otherwise, it is asked for anew', async () => {
  const runtime = simulatedRuntime()
  const store = new MemoryStore({ runtime })
  // Canonical is complete: the parts of approvals are in it.
  const partTypes = PartTypeRegistry.canonical()
  const notices = ['It has changed.', 'It has changed again.', 'It has changed.']
  const asked: (string | undefined)[] = []
  let ran = 0
  const actor = defineActor(async ({ tool, respond }) => {
    const call = {
      name: 'pay',
      args: { total: 5 },
      requiresApproval: true,
      approvalNotice: notices[asked.length] ?? 'It has changed.',
    }
    await tool(call, async () => void ran++)
    await respond({ parts: [{ partType: 'response', text: 'Paid.' }], turnState: 'complete' })
  })
  const sessions = new SessionTurnManager({
    store,
    runtime,
    partTypes,
    turnStates: TurnStateRegistry.canonical(),
    actors: { actor },
    entry: 'actor',
  })
  sessions.start()
  const session = await sessions.open({ principal: alice })
  await sessions.post(session, { parts: [{ text: 'go', metadata: { partType: 'message' } }], from: viewer }, alice)
  const decide = async (part: Part) => {
    // It changes twice while the approver thinks about it, and is in the end what it was.
    asked.push(askedApproval(part)?.notice.join())
    const { approvalId } = part.data as { approvalId: string }
    await sessions.decide(approvalId, { decision: 'granted' }, alice)
  }
  const end = new AbortController()
  for await (const frame of sessions.follow(session, viewer, undefined, end.signal)) {
    if (frame.kind === 'part' && frame.part.metadata.partType === 'approval-request') await decide(frame.part)
    if (frame.kind === 'settled') break
  }
  end.abort()
  await sessions.stop()
  expect(asked).toEqual(notices)
  const events = (await store.read(session, 0)).map(({ data }) => data as SessionEvent)
  const asking = events.flatMap((event) => (event.type === 'approvalRequested' ? event.approvalId : []))
  const voided = events.flatMap((event) => (event.type === 'approvalVoided' ? event.approvalId : []))
  expect(voided).toEqual(asking.slice(0, 2))
  expect(ran).toBe(1)
})
