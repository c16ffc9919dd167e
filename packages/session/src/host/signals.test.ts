import { simulatedRuntime } from '@cool-ai/beach-core'
import { expect, test, vi } from 'vitest'
import { Latch, LazyAbortController } from './signals.ts'

test('the signal of a LazyAbortController says the same, whether it was asked for before or after', () => {
  const stop = new LazyAbortController()
  const before = stop.signal
  expect([stop.aborted, before.aborted]).toEqual([false, false])
  stop.abort('first')
  stop.abort('second')
  expect(before.reason).toBe('first')
  expect(stop.signal).toBe(before)
  const late = new LazyAbortController()
  late.abort('early')
  expect([late.aborted, late.reason, late.signal.aborted, late.signal.reason]).toEqual([true, 'early', true, 'early'])
})

test('informs listeners once, and not those that were removed', () => {
  const stop = new LazyAbortController()
  const [received, gone] = [vi.fn<(reason: unknown) => void>(), vi.fn<(reason: unknown) => void>()]
  stop.onAbort(received)
  stop.onAbort(gone)()
  stop.abort('now')
  stop.abort('again')
  expect(received.mock.calls).toEqual([['now']])
  expect(gone).not.toHaveBeenCalled()
  const late = vi.fn<(reason: unknown) => void>()
  stop.onAbort(late)
  expect(late.mock.calls).toEqual([['now']])
})

test('work that ends first counts, and otherwise the reason', async () => {
  const stop = new LazyAbortController()
  await expect(stop.or(Promise.resolve('done'))).resolves.toBe('done')
  await expect(stop.or(Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  const never = stop.or(new Promise(() => {}))
  stop.abort(new Error('stopped'))
  await expect(never).rejects.toThrow('stopped')
  await expect(stop.or('anything')).rejects.toThrow('stopped')
})

test('a latch that was raised before the wait lets one wait through, and the next one waits', async () => {
  const latch = new Latch()
  const { clock } = simulatedRuntime()
  const passed: number[] = []
  const waited = (n: number) => latch.wait(clock).then(() => passed.push(n))
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  latch.raise()
  await Promise.race([waited(1), settle()])
  expect(passed).toEqual([1])
  const second = waited(2)
  await settle()
  expect(passed).toEqual([1])
  latch.raise()
  await second
})
