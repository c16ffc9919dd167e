import { linearPattern, type LinearPattern } from '@cool-ai/beach-core/runtime'

const maxStates = 1_000

/** A pattern of a surface: it is tried with every key that the user presses, so it is smaller than others may be. */
export function surfacePattern(source: string): LinearPattern | { readonly problem: string } {
  const pattern = linearPattern(source)
  return 'states' in pattern && pattern.states > maxStates ? { problem: 'repeats too much' } : pattern
}
