import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchTranscript, testAgent } from '@cool-ai/beach-testing'
import { greeter } from './greeter.ts'

void test('the agent looks the time up before it tells it', async (context) => {
  const model = [{ tools: [{ name: 'time_in', args: { city: 'Lisbon' } }] }, 'It is noon in Lisbon.']
  const agent = await testAgent({ actors: { greeter }, model })
  context.after(agent.stop)
  const turn = await agent.say('What time is it in Lisbon?')
  assert.equal(turn.text, 'It is noon in Lisbon.')
  assert.equal(turn.turnState, 'complete')
  assert.deepEqual(agent.problems, [])
  // After a change that is right: BEACH_UPDATE_TRANSCRIPTS=1 npm test
  const hide = [/\d\d:\d\d/]
  await matchTranscript(agent, new URL('./lisbon.transcript.txt', import.meta.url), { hide })
})
