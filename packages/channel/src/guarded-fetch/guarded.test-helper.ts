import { isBeachError, type BeachError } from '@cool-ai/beach-core'
import { onTestFinished } from 'vitest'
import { guardedFetch, type GuardedFetch, type GuardedFetchOptions } from './guarded-fetch.ts'

/** A guarded fetch that ends with its test. */
export function guarded(options: GuardedFetchOptions = {}): GuardedFetch {
  const fetch = guardedFetch(options)
  onTestFinished(async () => fetch.close())
  return fetch
}

/** The error of ours that something fails with. */
export async function failureOf(work: Promise<unknown>): Promise<BeachError> {
  const error: unknown = await work.then(
    () => new Error('This was expected to fail.'),
    (reason: unknown) => reason,
  )
  if (isBeachError(error)) return error
  throw error
}
