import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { HandlerInput, HydratorInput } from '@intentflow/core'
import { discoverFlows } from '@intentflow/core/server'
import { expect, onTestFinished, test, vi } from 'vitest'

const guide = new URL('../../docs/intentflow.md', import.meta.url)

test('the flow of the guide works as it is written there', async () => {
  const [, sample = ''] = /```ts[^\n]*\n([\s\S]*?)```/.exec(await readFile(guide, 'utf8')) ?? []
  expect(sample).toContain("intentId: 'order.place'")
  const folder = await mkdtemp(join(tmpdir(), 'beach-guide-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  // Packages are found from here, not from the folder.
  const found = (name: string) => JSON.stringify(fileURLToPath(import.meta.resolve(name)))
  await writeFile(
    join(folder, 'order.ts'),
    sample.replaceAll(/(?<=from )'([^']+)'/g, (_, name: string) => found(name)),
  )
  vi.stubGlobal('shop', {
    pay: async (items: unknown[], paymentId: string) => `order of ${items.length} by ${paymentId}`,
  })
  onTestFinished(() => void vi.unstubAllGlobals())

  const registry = await discoverFlows(folder)
  const { flow, hydrator, handlers } = registry.get('order.place') ?? {}
  expect(registry.search('buy')[0]?.intentId).toBe('order.place')
  const hydrated = await hydrator?.hydrate({ entities: { quantity: 2 } } as unknown as HydratorInput)
  const props = flow?.schema.parse(hydrated?.props) ?? {}
  expect(props).toEqual({ items: [{ id: 'cappuccino', quantity: 2 }] })
  expect(flow?.text?.({ props } as never)).toBe('An order of 1 items.')
  const paying = flow?.machine.next('review', {}, { type: 'CONFIRM', payload: { paymentId: 'pm_1' } })
  expect(paying?.state).toBe('paying')
  const outcome = await handlers?.handlers['CONFIRM']?.run({
    props,
    payload: { paymentId: 'pm_1' },
  } as unknown as HandlerInput)
  expect(outcome).toEqual({ event: 'SUCCESS', payload: { orderId: 'order of 1 by pm_1' } })
  expect(flow?.machine.next('paying', {}, { type: 'SUCCESS', ...outcome })).toEqual({
    state: 'confirmed',
    context: { orderId: 'order of 1 by pm_1' },
    changed: true,
  })
})
