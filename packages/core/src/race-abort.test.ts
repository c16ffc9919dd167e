import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { raceAbort } from './race-abort.ts'

test('raceAbort gives what the work gives, and leaves nothing on the signal', async () => {
  const { signal } = new AbortController()
  expect(await raceAbort(Promise.resolve('done'), signal)).toBe('done')
  expect(await raceAbort('at once', signal)).toBe('at once')
  await expect(raceAbort(Promise.reject(new Error('It failed.')), signal)).rejects.toThrow('It failed.')
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('raceAbort gives up work that ignores the signal, whenever the signal aborts', async () => {
  const end = new AbortController()
  const waiting = raceAbort(new Promise(() => {}), end.signal)
  end.abort(new Error('Enough.'))
  await expect(waiting).rejects.toThrow('Enough.')
  // The later outcome of the work is ignored, a failure too.
  await expect(raceAbort(Promise.reject(new Error('It failed.')), end.signal)).rejects.toThrow('Enough.')
})
