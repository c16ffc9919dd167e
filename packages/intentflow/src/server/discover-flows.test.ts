import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { discoverFlows } from './discover-flows.ts'

// Modules of applications, written to a folder of their own: they are imported like any other.
const core = JSON.stringify(fileURLToPath(new URL('../index.ts', import.meta.url)))
const xstate = JSON.stringify(fileURLToPath(import.meta.resolve('xstate')))
const zod = JSON.stringify(fileURLToPath(import.meta.resolve('zod')))

const flow = (intentId: string) => `
import { defineFlow, defineHydrator, defineEventHandlers, defineIntent, defineConversation } from ${core}
import { createMachine } from ${xstate}
import { z } from ${zod}
const machine = createMachine({ initial: 'a', states: { a: { on: { GO: 'b' } }, b: { type: 'final' } } })
const flow = defineFlow({
  intentId: '${intentId}',
  meta: { title: 'T', description: 'D' },
  schema: z.object({}),
  machine,
  events: { GO: { source: 'client' } },
})`

async function folderOf(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'beach-flows-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  return folder
}

test('discoverFlows finds what modules export, by default or by any name, in nested folders', async () => {
  const folder = await folderOf({
    'track.ts': `${flow('order.track')}\nexport default flow\nexport const watch = () => {}\nexport const other = 5`,
    'orders/place.mjs': `${flow('order.place')}
export const placeFlow = flow
export const placeIntent = defineIntent({ flow, keywords: ['coffee'] })
export const hydrator = defineHydrator(flow, () => ({}))
export const handlers = defineEventHandlers(flow, { GO: () => undefined })`,
    // Whatever else lies there is left alone.
    'orders/index.js': "export * from './place.mjs'",
    'orders/place.test.ts': 'throw new Error("a test was imported")',
    'types.d.ts': 'throw new Error("declarations were imported")',
    'node_modules/x/index.js': 'throw new Error("a package was imported")',
    '.hidden/x.js': 'throw new Error("something hidden was imported")',
    'notes.md': '# Notes',
  })
  const registry = await discoverFlows(folder)
  expect(registry.getFlows().map(({ intentId }) => intentId)).toEqual(['order.place', 'order.track'])
  const partsOf = (intentId: string) => {
    const parts = Object.entries(registry.get(intentId) ?? {}).filter(([, part]) => part !== undefined)
    return parts.map(([name]) => name).toSorted()
  }
  expect(partsOf('order.place')).toEqual(['flow', 'handlers', 'hydrator', 'intent'])
  expect(partsOf('order.track')).toEqual(['flow', 'watch'])
})

test('discoverFlows says what is wrong', async () => {
  await expect(discoverFlows('/nowhere/at/all')).rejects.toThrow('The folder of flows “/nowhere/at/all” cannot be read')
  const alone = await folderOf({ 'a.ts': 'export const watch = () => {}' })
  await expect(discoverFlows(alone)).rejects.toThrow('a.ts exports a watch, and not exactly one flow that it is for')
  const broken = await folderOf({ 'a.js': 'throw new Error("cannot load")' })
  await expect(discoverFlows(broken)).rejects.toThrow('cannot load')
})
