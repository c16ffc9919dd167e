import { trace } from '@opentelemetry/api'
import { TracerProvider } from '@opentelemetry/sdk-trace'
import { createLogger } from '@cool-ai/beach-core'
import { afterEach, expect, test } from 'vitest'
import { openTelemetry } from './open-telemetry.ts'

const registered = Symbol.for('opentelemetry.js.api.1')
const world = globalThis as { [registered]?: unknown }
afterEach(() => {
  delete world[registered]
})

async function opened() {
  const warnings: string[] = []
  const logger = createLogger({ write: (line) => warnings.push(line) })
  return { api: await openTelemetry(logger), warnings }
}

test('an SDK that shares its copy of the API with the agent is used without a word', async () => {
  trace.setGlobalTracerProvider(new TracerProvider())
  const { api, warnings } = await opened()
  expect([api?.trace === trace, warnings]).toEqual([true, []])
})

test('a warning says that an SDK has another copy of the API, through which nothing is traced', async () => {
  world[registered] = { version: '1.0.0', trace: {} }
  const { warnings } = await opened()
  expect(warnings).toEqual([expect.stringContaining('version 1.0.0 of @opentelemetry/api')])
})

test('without an SDK the API is not asked', async () => {
  expect(await opened()).toEqual({ api: undefined, warnings: [] })
})
