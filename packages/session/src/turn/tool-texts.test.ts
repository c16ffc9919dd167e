import { PartTypeRegistry, simulatedRuntime, TurnStateRegistry, type Originator } from '@cool-ai/beach-core'
import type { PlannedTool } from '@cool-ai/beach-core/ports'
import { EnvelopeStream } from '@cool-ai/beach-protocol/stream'
import { expect, test } from 'vitest'
import { defineActor } from './function-actor.ts'
import { MemoryStore } from '../stores/memory/memory-store.ts'
import { SessionTurnManager } from '../host/session-turn-manager.ts'
import { alice as owner, eventually, said, testContext, viewer } from '../host/test-context.test-helper.ts'

const alice = { kind: 'user', id: 'alice', tenant: 't' } as const
const listener = (transport: string): Originator => {
  return { id: transport, transport, deliveryClass: 'streaming', principal: alice }
}

/** What tools of one turn show: each thing that is done, and what a viewer sees after it. */
async function seenOf(transport: string): Promise<string[]> {
  const runtime = simulatedRuntime()
  const seen: string[] = []
  const stream = new EnvelopeStream()
  let news = () => {}
  const shows = async (...texts: string[]) => {
    const wanted = texts.join(' | ')
    const isShown = () => transport !== 'sse' || look() === wanted
    while (!isShown()) await new Promise<void>((resolve) => (news = resolve))
    seen.push(look())
  }
  const look = () =>
    stream.parts.flatMap(({ text, metadata }) => (metadata.partType === 'thinking' ? (text ?? []) : [])).join(' | ')
  const first = Promise.withResolvers<void>()
  const second = Promise.withResolvers<void>()
  const thinking = (delta: string) => ({ partType: 'thinking', delta })
  const planned: PlannedTool<void>[] = [
    {
      call: { name: 'one', args: {} },
      async run({ live, emit }) {
        live('words', thinking('One'))
        await first.promise
        await emit([{ partType: 'thinking', text: 'One, whole.' }], 'awaiting', 'words.whole')
        second.resolve()
      },
    },
    {
      call: { name: 'other', args: {} },
      async run({ live }) {
        live('words', thinking('Other'))
        await shows('One', 'Other')
        first.resolve()
        await second.promise
        await shows('One, whole.', 'Other')
        live('words', thinking(' grows'))
        await shows('One, whole.', 'Other grows')
        live('words')
        await shows('One, whole.')
      },
    },
  ]
  const actor = defineActor(async ({ tools, respond }) => {
    await tools(planned)
    await respond({ parts: [{ partType: 'response', text: 'Done.' }], turnState: 'complete' })
  })
  const sessions = new SessionTurnManager({
    store: new MemoryStore({ runtime }),
    runtime,
    partTypes: PartTypeRegistry.canonical(),
    turnStates: TurnStateRegistry.canonical(),
    actors: { actor },
    entry: 'actor',
  })
  const to = listener(transport)
  const session = await sessions.open({ principal: alice })
  const end = new AbortController()
  const following = (async () => {
    for await (const frame of sessions.follow(session, to, undefined, end.signal)) {
      stream.apply(frame)
      news()
      if (frame.kind === 'settled') return
    }
  })()
  sessions.start()
  await sessions.post(session, { parts: [{ text: 'go', metadata: { partType: 'message' } }], from: to }, alice)
  await following
  end.abort()
  await sessions.stop()
  return [...seen, look()]
}

test('text of several tools grows side by side, over steps, until it is said or taken back', async () => {
  expect(await seenOf('sse')).toEqual([
    'One | Other',
    'One, whole. | Other',
    'One, whole. | Other grows',
    'One, whole.',
    'One, whole.',
  ])
})

test('a listener that gets parts only when they are whole sees nothing of it', async () => {
  expect((await seenOf('a2a')).at(-1)).toBe('One, whole.')
  expect((await seenOf('a2a')).join()).not.toContain('Other')
})

test('a viewer that comes while a tool speaks sees what it has said so far', async () => {
  const there = testContext()
  const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const planned: PlannedTool<void> = {
    call: { name: 'one', args: {} },
    async run({ live }) {
      live('words', { partType: 'thinking', delta: 'So far' })
      begun.resolve()
      await gate.promise
    },
  }
  const { sessions } = there.process({
    actor: async ({ tools, respond }) => {
      await tools([planned])
      await respond({ parts: [{ partType: 'response', text: 'Done.' }], turnState: 'complete' })
    },
  })
  const session = await sessions.open({ principal: owner })
  await sessions.post(session, said('go'), owner)
  await begun.promise
  const stream = new EnvelopeStream()
  const following = (async () => {
    for await (const frame of sessions.follow(session, viewer(), undefined, AbortSignal.any([]))) {
      stream.apply(frame)
      if (frame.kind === 'settled') return
    }
  })()
  await eventually(() => stream.parts.some(({ text }) => text === 'So far'))
  gate.resolve()
  await following
})
