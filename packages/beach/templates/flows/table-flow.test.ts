import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testAgent } from '@cool-ai/beach-testing'
import { systemRuntime } from '@cool-ai/beach-core'
import { flowActor, localMatcher } from '@intentflow/core'
import { createFlows } from '@intentflow/core/server'
import { registry } from './table-flow.ts'

void test('a guest asks for a table, and books it by confirming', async (context) => {
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
  const opened = await agent.say('a table for four')
  assert.match(opened.parts.map(({ text = '' }) => text).join(' '), /table/i)

  // What a press on the button of the flow does.
  const { sessionId, principal } = agent.conversation
  const [table] = Object.entries(await flows.active(sessionId))
  assert.ok(table)
  const [instanceId, { props, state }] = table
  assert.deepEqual([props, state], [{ guests: 4 }, 'review'])
  const confirmed = await flows.dispatch(sessionId, instanceId, { event: 'CONFIRM' }, principal)
  assert.equal(confirmed.status, 'applied')
  const booked = (await flows.active(sessionId))[instanceId]
  assert.equal(booked?.state, 'booked')
  assert.match(String(booked.context.reference), /^T-/)
  await flows.dispatch(sessionId, instanceId, { event: 'CLOSE' }, principal)
  assert.deepEqual(await flows.active(sessionId), {})
  assert.deepEqual(agent.problems, [])
})
