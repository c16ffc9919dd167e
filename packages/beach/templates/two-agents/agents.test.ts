import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchTranscript, testAgent } from '@cool-ai/beach-testing'
import { systemRuntime } from '@cool-ai/beach-core'
import { concierge } from './concierge.ts'
import weatherConfig from './weather.config.ts'
import { weather } from './weather.ts'

void test('the weather agent asks for the place that it lacks', async (context) => {
  const agent = await testAgent({ actors: { weather } })
  context.after(agent.stop)
  assert.equal((await agent.say('What will it be like?')).text, 'For which place?')
  assert.match((await agent.say('in Corfu')).text, /^Tomorrow in Corfu: cloudy/)
  // After a change that is right: BEACH_UPDATE_TRANSCRIPTS=1 npm test
  await matchTranscript(agent, new URL('./corfu.transcript.txt', import.meta.url))
})

void test('the concierge asks the weather agent, over A2A', async (context) => {
  // Agents that talk to each other need real time.
  const runtime = systemRuntime()
  const peer = await testAgent({ agent: weatherConfig.agent, actors: { weather }, runtime })
  context.after(peer.stop)
  const url = `${await peer.serve()}/`
  const model = [
    { tools: [{ name: 'ask_weather', args: { message: 'Weather in Corfu?' } }] },
    ({ results }: { results: ReadonlyMap<string, string> }) => `It says: ${results.get('ask_weather')}`,
  ]
  const agent = await testAgent({
    actors: { concierge },
    model,
    peers: { weather: { url } },
    runtime,
    maxWaitMs: 20_000,
  })
  context.after(agent.stop)
  assert.match((await agent.say('A day in Corfu')).text, /Tomorrow in Corfu: cloudy/)
})
