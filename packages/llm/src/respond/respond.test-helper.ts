import { isBeachError, PartTypeRegistry, silentLogger, TurnStateRegistry, type BeachError } from '@cool-ai/beach-core'
import type { RespondOptions } from './respond-options.ts'

/** Registries of one test's own, with all canonical types and states. */
export function registries(): Required<Pick<RespondOptions, 'partTypes' | 'turnStates'>> {
  const partTypes = PartTypeRegistry.canonical({ logger: silentLogger })
  return { partTypes, turnStates: TurnStateRegistry.canonical() }
}

/** The BeachError that a function throws. */
export function errorOf(run: () => unknown): BeachError {
  try {
    run()
  } catch (error) {
    if (isBeachError(error)) return error
    throw error
  }
  throw new Error('This was expected to fail.')
}
