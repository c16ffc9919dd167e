import { defineTool, llmActor } from '@cool-ai/beach-llm'
import { documentTool, openDocuments, type DocumentSource } from '@cool-ai/beach-missives/documents'
import { testAgent, type TestAgentOptions } from '@cool-ai/beach-testing'
import { script } from '@cool-ai/beach-testing/model'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { returns } from './support.ts'

const search = { tools: [{ name: 'search_documents', args: { text: 'returns deadline' } }] }
const said = { partType: 'response', text: 'Within 30 days.' }
const citing = (...sources: object[]) => ({
  respond: { turnState: 'complete', parts: [said, ...sources.map((data) => ({ partType: 'citation', data }))] },
})

/** An agent that answers from documents, by this script. */
async function desk(documents: DocumentSource, model: TestAgentOptions['model'], more: Partial<TestAgentOptions> = {}) {
  const actor = llmActor({
    model: script(),
    instructions: 'Answer from the documents.',
    tools: [documentTool(documents)],
  })
  return testAgent({ actors: { actor }, model, ...more })
}

async function handbook(origins?: string) {
  const documents = await openDocuments({ path: 'memory' })
  await documents.put({ ...returns, origins })
  return documents
}

test('an answer cites a passage by its source, and everything else of the citation is from the document', async () => {
  await using agent = await desk(await handbook(), [search, citing({ source: 'returns#1' })])
  const turn = await agent.say('How long may I return it?')
  expect(turn.turnState).toBe('complete')
  expect(turn.parts.filter(({ partType }) => partType === 'citation')).toMatchObject([
    {
      data: {
        path: '',
        title: 'Returns',
        url: 'https://shop.example/returns',
        quote: '## Deadline\n\nGoods are returned within 30 days.',
        retrievedAt: expect.stringMatching(/^\d{4}-/),
      },
    },
  ])
})

test('what a model adds to a citation of its own does not count, but for the path into its data', async () => {
  const forged = { source: 'returns#1', path: '/days', title: 'Ours', url: 'https://evil.example/' }
  await using agent = await desk(await handbook(), [search, citing(forged)])
  const { parts } = await agent.say('How long may I return it?')
  expect(parts.find(({ partType }) => partType === 'citation')?.data).toMatchObject({
    path: '/days',
    title: 'Returns',
    url: 'https://shop.example/returns',
  })
})

test('a source that was not found is refused once with those that were, and left out the second time', async () => {
  const told: string[] = []
  const model: TestAgentOptions['model'] = [
    search,
    citing({ source: 'returns#9' }),
    ({ prompt }) => {
      told.push(JSON.stringify(prompt))
      return citing({ source: 'returns#9' })
    },
  ]
  await using agent = await desk(await handbook(), model)
  const turn = await agent.say('How long may I return it?')
  expect(told[0]).toContain("No tool has found a source 'returns#9' in this turn. Found are: returns#1")
  expect(turn).toMatchObject({ turnState: 'complete', text: 'Within 30 days.' })
  expect(turn.parts.map(({ partType }) => partType)).toEqual(['response'])
})

test('sources are known again after a crash, and in a replay', async () => {
  const documents = await handbook()
  const reached = Promise.withResolvers<void>()
  const slow = defineTool({
    name: 'ship',
    description: 'Ships it.',
    inputSchema: z.object({}),
    idempotent: true,
    handler: async () => {
      if (++shipped > 1) return 'shipped'
      reached.resolve()
      return new Promise(() => {})
    },
  })
  let shipped = 0
  const model = [search, { tools: [{ name: 'ship', args: {} }] }, citing({ source: 'returns#1' })]
  const tools = [documentTool(documents), slow]
  const actor = llmActor({ model: script(), instructions: 'Answer from the documents.', tools })
  await using agent = await testAgent({ actors: { actor }, model })
  const turn = agent.say('How long may I return it?')
  await reached.promise
  await agent.crash()
  const { turnState, parts } = await turn
  expect([turnState, parts.at(-1)?.partType, shipped]).toEqual(['complete', 'citation', 2])
  expect((await agent.replay()).same).toBe(true)
})

test.each([
  ['of others', 'web:news.example', 'suspended'],
  ['of the agent', undefined, 'complete'],
])('a document %s has its origin where it is found', async (_, origins, turnState) => {
  const documents = await handbook(origins)
  const mail = defineTool({
    name: 'send_mail',
    description: 'Sends a mail.',
    inputSchema: z.object({}),
    requiresApproval: 'tainted',
    handler: () => 'sent',
  })
  const tools = [documentTool(documents), mail]
  const actor = llmActor({ model: script(), instructions: 'Answer from the documents.', tools })
  const model = [search, { tools: [{ name: 'send_mail', args: {} }] }, 'Sent.']
  await using agent = await testAgent({ actors: { actor }, model })
  const turn = await agent.say('Mail me how long I may return it.')
  expect(turn.turnState).toBe(turnState)
  if (origins !== undefined) expect(JSON.stringify(turn.parts)).toContain('news.example')
})

test('a source with a link that is none is cited by its title', async () => {
  const documents: DocumentSource = {
    search: async () => [{ id: 'x', title: 'A book', url: 'ftp://old.example', text: 'Within 30 days.' }],
  }
  await using agent = await desk(documents, [search, citing({ source: 'x' })])
  const { parts } = await agent.say('How long may I return it?')
  expect(parts.find(({ partType }) => partType === 'citation')?.data).toEqual({ path: '', title: 'A book' })
})

test('an engine of one’s own is asked for the words, the number and the person', async () => {
  const asked: unknown[] = []
  const documents: DocumentSource = {
    search: async (query) => {
      asked.push(query)
      return []
    },
  }
  await using agent = await desk(documents, [search, 'I found nothing.'])
  expect((await agent.say('How long may I return it?')).text).toBe('I found nothing.')
  expect(asked).toEqual([{ text: 'returns deadline', limit: 5, by: agent.conversation.principal }])
})
