import { createBeach, defineActor, openData, type Beach } from '@cool-ai/beach'
import { PartTypeRegistry, systemRuntime, type Frame, type Originator, type Principal } from '@cool-ai/beach-core'
import {
  createRegistry,
  defineConversation,
  defineFlow,
  defineHydrator,
  defineIntent,
  flowActor,
  localMatcher,
} from '@intentflow/core'
import { createFlows, type Flows } from '@intentflow/core/server'
import { createMachine } from 'xstate'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

const kim: Principal = { kind: 'user', id: 'kim', tenant: 'default' }
const page: Originator = { id: 'page', transport: 'sse', deliveryClass: 'streaming', principal: kim }

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

async function start(next?: string, roles?: readonly string[]): Promise<{ beach: Beach; flows: Flows }> {
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
  const runtime = systemRuntime()
  const data = await openData({ folder: '', store: 'memory' })
  const rolesOf = () => roles ?? []
  const flows = createFlows({ registry, runtime, secret: data.secret, rolesOf })
  const partTypes = PartTypeRegistry.canonical()
  flows.registerPartTypes(partTypes)
  const matcher = localMatcher(registry, { possible: 0.3 })
  const beach = await createBeach({
    agent: { id: 'notes', name: 'Notes' },
    ...data,
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
  onTestFinished(() => beach.close())
  return { beach, flows }
}

async function talkTo({ beach, flows }: { beach: Beach; flows: Flows }) {
  const session = await beach.sessions.open({ principal: kim })
  return {
    active: async () => Object.values(await flows.active(session, kim)),
    /** Says something, and gives all that its turn has said and how it ended. */
    async say(text: string) {
      const part = { text, metadata: { partType: 'message' } }
      const { seq } = await beach.sessions.post(session, { parts: [part], from: page }, kim)
      const end = new AbortController()
      const parts: string[] = []
      for await (const frame of beach.sessions.follow(session, page, String(seq), end.signal)) {
        parts.push(...wordsIn(frame))
        if (frame.kind === 'settled') return { parts, turnState: frame.turnState }
      }
      throw new Error('The turn did not settle.')
    },
  }
}

function wordsIn(frame: Frame): string[] {
  if (frame.kind !== 'part' || frame.role !== 'agent') return []
  const { text, metadata } = frame.part
  return [`${metadata.partType}${text === undefined ? '' : `: ${text}`}`]
}

test('a flow that is meant is shown in the turn, and what has to do with none goes to the next actor', async () => {
  const notes = await talkTo(await start('talker'))
  const { parts, turnState } = await notes.say('write a note called Shopping')
  expect(parts).toEqual(['intentflow.render', 'response: Here it is: Write a note.'])
  expect(turnState).toBe('complete')
  expect(await notes.active()).toMatchObject([{ intentId: 'note.write', props: { name: 'Shopping' } }])
  expect((await notes.say('how are you?')).parts).toEqual(['response: You said: how are you?'])
})

test('without a next actor one is told what there is', async () => {
  const notes = await talkTo(await start())
  expect((await notes.say('how are you?')).parts).toEqual([
    'response: I can help you with this: Write a note, Find a note.',
  ])
})

test('what cannot be told apart is asked in words, and the answer leads on to what is still missing', async () => {
  const notes = await talkTo(await start())
  const asked = await notes.say('note')
  expect(asked.turnState).toBe('clarifying')
  expect(asked.parts).toEqual([expect.stringMatching(/^clarify: Do you mean “.* a note” or “.* a note”\?$/)])
  expect(await notes.active()).toEqual([])
  expect((await notes.say('find')).parts).toEqual(['clarify: What is it called?'])
  expect((await notes.say('Shopping')).parts).toEqual(['intentflow.render', 'response: Here it is: Find a note.'])
  expect(await notes.active()).toMatchObject([{ intentId: 'note.find', props: { name: 'Shopping' } }])
})

test('talk in an open flow changes it, sends it events, or puts it away', async () => {
  const notes = await talkTo(await start('talker'))
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
  const notes = await talkTo(await start())
  const { parts } = await notes.say('/note.write')
  expect(parts).toEqual([expect.stringMatching(/^response: .*name/)])
  expect(await notes.active()).toEqual([])
})

test('a flow for some people is meant by those, and by nobody else', async () => {
  const keeper = await talkTo(await start(undefined, ['keeper']))
  await keeper.say('erase a note called Diary')
  expect(await keeper.active()).toMatchObject([{ intentId: 'note.erase', props: { name: 'Diary' } }])
  const other = await talkTo(await start(undefined, ['reader']))
  await other.say('erase a note called Diary')
  expect(await other.active()).not.toMatchObject([{ intentId: 'note.erase' }])
})
