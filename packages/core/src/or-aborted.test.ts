import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { orAborted } from './or-aborted.ts'

test('gives what the work gives, and leaves nothing on the signal', async () => {
  const { signal } = new AbortController()
  expect(await orAborted(Promise.resolve('done'), signal)).toBe('done')
  expect(await orAborted('at once', signal)).toBe('at once')
  await expect(orAborted(Promise.reject(new Error('It failed.')), signal)).rejects.toThrow('It failed.')
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('gives up work that ignores the signal, whenever that aborts', async () => {
  const end = new AbortController()
  const waiting = orAborted(new Promise(() => {}), end.signal)
  end.abort(new Error('Enough.'))
  await expect(waiting).rejects.toThrow('Enough.')
  // What comes of the work later is nobody's concern, not even that it failed.
  await expect(orAborted(Promise.reject(new Error('It failed.')), end.signal)).rejects.toThrow('Enough.')
})
