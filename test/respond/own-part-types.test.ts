import { silentLogger, systemRuntime } from '@cool-ai/beach-core'
import { llmActor, scriptedModel } from '@cool-ai/beach-llm'
import { testAgent } from '@cool-ai/beach-testing'
import { expect, onTestFinished, test } from 'vitest'

// Document 000, "Consumer-defined part types": what is registered for an agent, its models may say.

test('a model may say the part types that its agent was given as a list', async () => {
  const runtime = systemRuntime({ logger: silentLogger })
  const parts = [{ metadata: { partType: 'ta.board' }, data: { slots: 2 } }]
  const model = scriptedModel({ rules: [{ say: () => ({ respond: { turnState: 'complete', parts } }) }] })
  const agent = await testAgent({
    actors: { sally: llmActor({ name: 'sally', prompt: 'You are Sally.', model, runtime }) },
    partTypes: [{ partType: 'ta.board', deliveryRules: { streaming: 'flush', buffered: 'drop' } }],
    runtime,
  })
  onTestFinished(agent.stop)
  const turn = await agent.say('go')
  expect([turn.turnState, turn.parts.map(({ data }) => data)]).toEqual(['complete', [{ slots: 2 }]])
})
