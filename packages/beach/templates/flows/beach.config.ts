import { defineConfig, openSecret } from '@cool-ai/beach'
import { systemRuntime } from '@cool-ai/beach-core'
import { flowActor, localMatcher } from '@intentflow/core'
import { createFlows } from '@intentflow/core/server'
import { registry } from './table-flow.ts'

const folder = '.beach'

export default defineConfig(() => {
  const runtime = systemRuntime()
  const secret = openSecret(folder)
  const flows = createFlows({ registry, runtime, secret, publicUrl: process.env.PUBLIC_URL })
  return {
    agent: { id: 'my-agent', name: 'Table', description: 'Books tables.', capabilities: [] },
    data: { folder, secret },
    // It understands people by keywords and examples, without a model.
    actors: { waiter: flowActor({ flows, registry, matcher: localMatcher(registry) }) },
    slices: [flows.slice],
    channels: [flows.channel()],
    exposedTools: flows.mcpTools(),
    partTypes: flows.partTypes,
    runtime,
    inspect: true,
  }
})
