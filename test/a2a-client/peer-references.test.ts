import { TaskState } from '@a2a-js/sdk'
import { expect, test } from 'vitest'
import { asks, homeAgent, inOrder, respond, say } from './home-agent.ts'
import { data, stockAgent, text } from './stock-agent.ts'

test('a peer’s files, sources and own data are shown with where they come from, and nothing of it acts', async (context) => {
  const file = { artifactId: 'art_1', mimeType: 'application/pdf', sizeBytes: 3, url: 'https://travel.example/a1' }
  const agent = await stockAgent(context, (run) => {
    run.begin()
    run.artifact('a1', [data({ fares: [94] }, { partType: 'domain-data', slotKey: 'found' })])
    run.artifact('a2', [data({ path: '/found/fares/0', title: 'Fares' }, { partType: 'citation' })])
    run.artifact('a3', [data(file, { partType: 'artifact' })])
    run.artifact('a4', [data({ day: 1 }, { partType: 'ta.itinerary' })])
    run.artifact('a5', [data({ 'ta.trip': 'paid' }, { partType: 'setState' })])
    run.status(TaskState.TASK_STATE_COMPLETED, [text('Done.')])
  })
  const rules = inOrder(asks('ask_travel', { message: 'Flights?' }), respond('Done.'))
  const home = homeAgent({ cards: { travel: agent.card() }, rules })
  const { frames } = await say(home.start(), 'Flights, please.')
  const shown = frames.flatMap((frame) => {
    return frame.kind === 'part' && frame.role === 'agent' && frame.part.data !== undefined ? [frame.part] : []
  })
  const origin = { peer: 'travel', taskId: agent.executions[0]?.taskId }
  expect(shown.slice(1)).toMatchObject([
    { data: { fares: [94] }, metadata: { partType: 'domain-data', slotKey: 'peers.travel.found', origin } },
    {
      data: { path: '/peers.travel.found/fares/0', title: 'Stock: Fares' },
      metadata: { partType: 'citation', origin },
    },
    { data: { name: 'Stock: a file', url: file.url }, metadata: { partType: 'artifact', origin } },
    { data: { day: 1 }, metadata: { partType: 'ta.itinerary', origin } },
  ])
  expect(shown).toHaveLength(5)
})
