import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { bundle } from '../client/bundle.ts'

async function sizeOf(entry: string): Promise<{ bytes: number; others: string[] }> {
  const { code, modules } = await bundle(entry)
  const others = modules.filter(
    (path) =>
      !/\/intentflow\/src\/(?:client|react)\/|\/client\/src\/reliability\/|\/test\/client\/entry\.ts$/.test(path),
  )
  return {
    bytes: gzipSync(code, { level: 9 }).byteLength,
    others: others.map((path) => path.split('/packages/').at(-1) ?? path),
  }
}

test('the client with one transport is under 11.5 kB, and has no schemas and no machines in it', async () => {
  const { bytes, others } = await sizeOf(`export { createFlowClient, postTransport } from '@intentflow/core/client'`)
  expect(bytes).toBeLessThan(11_500)
  expect(others.toSorted()).toEqual([
    'core/src/json.ts',
    'intentflow/src/schemas/json-problem.ts',
    'intentflow/src/schemas/patch-path.ts',
    'intentflow/src/state/apply-server-event.ts',
    'intentflow/src/state/change-props.ts',
  ])
})

test('all of the client is under 15 kB', async () => {
  const { bytes } = await sizeOf(`export * from '@intentflow/core/client'`)
  expect(bytes).toBeLessThan(15_000)
})

test('neither zod nor xstate comes with what shows flows', async () => {
  const { others } = await sizeOf(`export { FlowHost, FlowProvider } from '@intentflow/core/react'`)
  expect(others.filter((path) => /node_modules\/(?!react)/.test(path))).toEqual([])
})
