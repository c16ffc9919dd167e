import { fileURLToPath } from 'node:url'
import { defineConfig, openSecret } from '@cool-ai/beach'
import { systemRuntime } from '@cool-ai/beach-core'
import { flowActor, localMatcher } from '@intentflow/core'
import { createFlows } from '@intentflow/core/server'
import { page } from './page.ts'
import { registry } from './table-flow.ts'

const folder = fileURLToPath(new URL('.beach/', import.meta.url))

export default defineConfig(async ({ command }) => {
  // `beach dev` starts again whenever a file changes: the page is built anew with it.
  if (command === 'dev') {
    const { build } = await import('vite')
    await build({ root: fileURLToPath(new URL('page/', import.meta.url)), logLevel: 'warn' })
  }
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
    page: page(new URL('dist/', import.meta.url)),
    runtime,
    inspect: true,
  }
})
