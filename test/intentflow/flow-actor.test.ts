import { defineActor } from '@cool-ai/beach'
import { PartTypeRegistry, simulatedRuntime } from '@cool-ai/beach-core'
import { testAgent } from '@cool-ai/beach-testing'
import {
  createRegistry,
  defineConversation,
  defineFlow,
  defineHydrator,
  defineIntent,
  flowActor,
  localMatcher,
} from '@intentflow/core'
import { createFlows } from '@intentflow/core/server'
import { expect, onTestFinished, test } from 'vitest'
import { createMachine } from 'xstate'
import { z } from 'zod'

const machine = createMachine({
  initial: 'open',
  states: { open: { on: { RENAME: { target: 'open' }, CLOSE: { target: 'closed' } } }, closed: { type: 'final' } },
})

function noteFlow(intentId: 'note.write' | 'note.find' | 'note.erase', title: string, example: string) {
  const flow = defineFlow({
    intentId,
    meta: { title, description: `${title}.` },
    schema: z.object({ name: z.string() }),
    machine,
    ...(intentId === 'note.erase' && { permissions: { roles: ['keeper'] } }),
    events: { RENAME: { source: 'client', schema: z.object({ to: z.string() }) }, CLOSE: { source: 'client' } },
  })
  const extractionSchema = z.object({ name: z.string().meta({ after: ['called'], question: 'What is it called?' }) })
  const intent = defineIntent({ flow, extractionSchema, examples: [example], keywords: ['note'] })
  const hydrator = defineHydrator(flow, intent, ({ entities }) => ({ name: entities.name }))
  const conversation = defineConversation(flow, [
    {
      says: ['call it {name}'],
      means: ({ found }) => ({ kind: 'modify', change: { patch: { name: found.name } } }),
    },
  ])
  return { flow, intent, hydrator, conversation }
}

/** A conversation with an agent of flows. */
async function talk(next?: string, roles?: readonly string[]) {
  const all = [
    noteFlow('note.write', 'Write a note', 'write a note called {name}'),
    noteFlow('note.find', 'Find a note', 'find a note called {name}'),
    ...(roles ? [noteFlow('note.erase', 'Erase a note', 'erase a note called {name}')] : []),
  ]
  const registry = createRegistry({
    flows: all.map(({ flow }) => flow),
    intents: all.map(({ intent }) => intent),
    hydrators: all.map(({ hydrator }) => hydrator),
    conversations: all.map(({ conversation }) => conversation),
  })
  const runtime = simulatedRuntime()
  const rolesOf = () => roles ?? []
  const flows = createFlows({ registry, runtime, secret: new Uint8Array(32), rolesOf })
  const partTypes = PartTypeRegistry.canonical()
  flows.registerPartTypes(partTypes)
  const matcher = localMatcher(registry, { possible: 0.3 })
  const { say, conversation, stop } = await testAgent({
    runtime,
    partTypes,
    slices: [flows.slice],
    channels: [flows.channel()],
    entry: 'flows',
    actors: {
      flows: flowActor({ flows, registry, matcher, next }),
      talker: defineActor(async ({ text, respond }) => {
        await respond({ parts: [{ partType: 'response', text: `You said: ${text}` }], turnState: 'complete' })
      }),
    },
  })
  onTestFinished(stop)
  return {
    active: async () => Object.values(await flows.active(conversation.sessionId, conversation.principal)),
    /** Says something, and gives all that was said then and how the turn ended. */
    async say(text: string) {
      const before = conversation.parts.length
      const { turnState } = await say(text)
      const parts = conversation.parts.slice(before)
      return {
        parts: parts.map((part) => `${part.partType}${part.text === undefined ? '' : `: ${part.text}`}`),
        turnState,
      }
    },
  }
}

test('a flow that is meant is shown in the turn, and what has to do with none goes to the next actor', async () => {
  const notes = await talk('talker')
  const { parts, turnState } = await notes.say('write a note called Shopping')
  expect(parts).toEqual(['intentflow.render', 'response: Here it is: Write a note.'])
  expect(turnState).toBe('complete')
  expect(await notes.active()).toMatchObject([{ intentId: 'note.write', props: { name: 'Shopping' } }])
  expect((await notes.say('how are you?')).parts).toEqual(['response: You said: how are you?'])
})

test('without a next actor one is told what there is', async () => {
  const notes = await talk()
  expect((await notes.say('how are you?')).parts).toEqual([
    'response: I can help you with this: Write a note, Find a note.',
  ])
})

test('what cannot be told apart is asked in words, and the answer leads on to what is still missing', async () => {
  const notes = await talk()
  const asked = await notes.say('note')
  expect(asked.turnState).toBe('clarifying')
  expect(asked.parts).toEqual([expect.stringMatching(/^clarify: Do you mean “.* a note” or “.* a note”\?$/)])
  expect(await notes.active()).toEqual([])
  expect((await notes.say('find')).parts).toEqual(['clarify: What is it called?'])
  expect((await notes.say('Shopping')).parts).toEqual(['intentflow.render', 'response: Here it is: Find a note.'])
  expect(await notes.active()).toMatchObject([{ intentId: 'note.find', props: { name: 'Shopping' } }])
})

test('talk in an open flow changes it, sends it events, or puts it away', async () => {
  const notes = await talk('talker')
  await notes.say('write a note called Shopping')
  expect((await notes.say('call it Groceries')).parts).toEqual(['intentflow.props_update', 'response: Done.'])
  expect(await notes.active()).toMatchObject([{ props: { name: 'Groceries' } }])
  expect((await notes.say('never mind')).parts).toEqual([
    'intentflow.dismiss',
    'response: All right. “Write a note” is closed.',
  ])
  await notes.say('write a note called Ideas')
  expect((await notes.say('close')).parts).toEqual(['intentflow.transition', 'intentflow.dismiss', 'response: Done.'])
  expect(await notes.active()).toEqual([])
})

test('a flow can be asked for by its id; what it then lacks is said', async () => {
  const notes = await talk()
  const { parts } = await notes.say('/note.write')
  expect(parts).toEqual([expect.stringMatching(/^response: .*name/)])
  expect(await notes.active()).toEqual([])
})

test('a flow for some people is matched for those only', async () => {
  const keeper = await talk(undefined, ['keeper'])
  await keeper.say('erase a note called Diary')
  expect(await keeper.active()).toMatchObject([{ intentId: 'note.erase', props: { name: 'Diary' } }])
  const other = await talk(undefined, ['reader'])
  await other.say('erase a note called Diary')
  expect(await other.active()).not.toMatchObject([{ intentId: 'note.erase' }])
})
