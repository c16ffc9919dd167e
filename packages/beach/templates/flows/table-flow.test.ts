import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testAgent } from '@cool-ai/beach-testing'
import { systemRuntime } from '@cool-ai/beach-core'
import { flowActor, localMatcher } from '@intentflow/core'
import { createFlows } from '@intentflow/core/server'
import { registry } from './table-flow.ts'

void test('who asks for a table gets the flow, and can confirm it', async (context) => {
  const runtime = systemRuntime()
  const flows = createFlows({ registry, runtime, secret: new Uint8Array(32) })
  const waiter = flowActor({ flows, registry, matcher: localMatcher(registry) })
  const agent = await testAgent({
    actors: { waiter },
    slices: [flows.slice],
    channels: [flows.channel()],
    partTypes: flows.partTypes,
    runtime,
    maxWaitMs: 20_000,
  })
  context.after(agent.stop)
  const opened = await agent.say('book a table')
  assert.match(opened.parts.map(({ text = '' }) => text).join(' '), /table/i)
  assert.equal(opened.settled, true)
  assert.deepEqual(agent.problems, [])
})
