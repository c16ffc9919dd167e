import { defineActor } from '@cool-ai/beach'
import { PartTypeRegistry } from '@cool-ai/beach-core'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { expect, test } from 'vitest'
import { customs, frailFetch, Gate, runtime, startAgent, StockAgent } from '../agui/agent.ts'
import { counterSlice, registerCounter } from './counter.ts'

const uuid = () => crypto.randomUUID()
const add = (by: number) => ({ type: 'CUSTOM', name: 'counter.add', value: { id: uuid(), by } })
const events = { forwardedProps: { counter: { events: [add(1)] } } }

function start(options: Parameters<typeof startAgent>[0] & { readonly gate?: Promise<void> } = {}) {
  const partTypes = PartTypeRegistry.canonical()
  registerCounter(partTypes)
  const { gate, ...given } = options
  return startAgent({ slices: [counterSlice(gate)], partTypes, ...given })
}

test('what a run has left out of a turn that was under way is not lost', async () => {
  const gate = new Gate()
  const said = new Gate()
  const over = new Gate()
  const actor = defineActor(async ({ text, respond }) => {
    if (text === 'hello') return respond({ parts: [{ partType: 'response', text: 'Hello.' }], turnState: 'complete' })
    await respond({ parts: [{ partType: 'response', text: 'One.' }], turnState: 'awaiting' })
    said.open()
    await gate.opened
    await respond({ parts: [{ partType: 'response', text: 'Two.' }], turnState: 'complete' })
    over.open()
  })
  const { url } = await start({ actors: { actor } })
  const threadId = uuid()
  const page = new StockAgent({ url, threadId })
  await page.say('hello')
  const line = frailFetch()
  const running = new StockAgent({ url, threadId, fetch: line.fetch }).say('count')
  await said.opened
  line.cut()
  await running
  await page.run(events)
  expect(page.texts()).toEqual(['Hello.'])
  gate.open()
  await over.opened
  await page.run(events)
  const { events: after } = await page.run(events)
  expect(customs(after, 'counter.counted')).toEqual([{ count: 3 }])
  await page.run()
  expect(page.texts()).toEqual(['Hello.', 'One.', 'Two.'])
})

test('a run waits for its work, also while the agent waits for a decision', async () => {
  const actor = defineActor(async ({ respond, tool }) => {
    await respond({ parts: [{ partType: 'ack', text: 'I ask first.' }], turnState: 'awaiting' })
    await tool({ name: 'book', args: {}, requiresApproval: true }, async () => 'booked')
    await respond({ parts: [{ partType: 'response', text: 'Done.' }], turnState: 'complete' })
  })
  const gate = new Gate()
  const store = new MemoryStore({ runtime })
  const options = { actors: { actor }, data: { store }, gate: gate.opened }
  const [here, there] = [await start(options), await start(options)]
  const page = new StockAgent({ url: here.url, threadId: uuid() })
  const { interrupts } = await page.say('book')
  expect(interrupts).toHaveLength(1)
  // Another process does not know what was shown by the first.
  const other = new StockAgent({ url: there.url, threadId: page.threadId, messages: page.messages })
  const slowly = { forwardedProps: { counter: { slowly: { id: 'a', by: 5 } } } }
  const ran = other.run(slowly, {
    onStateSnapshotEvent: () => gate.open(),
  })
  const { events: shown, interrupts: still } = await ran
  expect(customs(shown, 'counter.counted')).toEqual([{ count: 5 }])
  expect(still).toMatchObject([{ id: interrupts[0]?.id }])
})
