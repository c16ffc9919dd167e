import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { bundle } from './bundle.ts'

test('the client is under 8.9 kB, and has nothing in it but itself and the stream', async () => {
  const { code, modules } = await bundle(`export { connect } from '@cool-ai/beach-client'`)
  const bytes = gzipSync(code, { level: 9 }).byteLength
  expect(bytes).toBeLessThan(8_900)
  const others = modules.filter((path) => !/\/packages\/client\/src\/|\/test\/client\/entry\.ts$/.test(path))
  expect(others.map((path) => path.split('/packages/').at(-1) ?? '').toSorted()).toEqual([
    'protocol/src/frame-shape.ts',
    'protocol/src/reader-part.ts',
    'protocol/src/stream-view.ts',
    'protocol/src/stream.ts',
  ])
})
