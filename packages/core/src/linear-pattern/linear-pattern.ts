import { compilePattern, type State } from './compile-pattern.ts'
import { parsePattern, UnsupportedPattern, type Assertion } from './parse-pattern.ts'

/** A regular expression whose work grows with the length of a text, and with nothing else. */
export interface LinearPattern {
  /** How many states it has: no character of a text takes more steps. */
  readonly states: number
  /** Whether it is found somewhere in a text. */
  test(text: string): boolean
  /** The same, with the steps that it took; `isMatch` is undefined when it was not done after `maxSteps`. */
  run(text: string, maxSteps?: number): { readonly isMatch: boolean | undefined; readonly steps: number }
}

const maxLength = 2_000

/**
 * A foreign pattern, with the meaning that it has in JavaScript. All alternatives are followed at once instead of one
 * after the other, so that no pattern and no text can make it slow. Backreferences and lookarounds cannot be matched
 * that way and are refused, as are invalid patterns; `problem` is the end of a sentence.
 */
export function linearPattern(source: string): LinearPattern | { readonly problem: string } {
  if (source.length > maxLength) return { problem: `has more than ${maxLength} characters` }
  const isUnicode = isPattern(source, 'u')
  if (!isUnicode && !isPattern(source, '')) return { problem: 'is not a regular expression' }
  try {
    const states = compilePattern(parsePattern(source, isUnicode), isUnicode)
    const run = (text: string, maxSteps = Infinity) => runStates(states, isUnicode ? text : text.split(''), maxSteps)
    return { states: states.length, run, test: (text) => run(text).isMatch === true }
  } catch (error) {
    if (error instanceof UnsupportedPattern) return { problem: error.message }
    throw error
  }
}

function isPattern(source: string, flags: string): boolean {
  try {
    return new RegExp(source, flags) instanceof RegExp
  } catch {
    return false
  }
}

/** `characters` are code points of a text, or its code units one by one. */
function runStates(states: readonly State[], characters: Iterable<string>, maxSteps: number) {
  let steps = 0
  // In which round a state was reached last: each is looked at once for a character.
  const reachedAt = new Int32Array(states.length).fill(-1)
  const reader = characters[Symbol.iterator]()
  let current: number[] = []
  let before: string | undefined
  for (let round = 0; ; round++) {
    const { value: after, done = false } = reader.next() as IteratorResult<string, undefined>
    const waiting: number[] = []
    // A match may begin anywhere.
    const open = [...current, 0]
    for (let number = open.pop(); number !== undefined; number = open.pop()) {
      const state = states[number]
      if (state === undefined || reachedAt[number] === round) continue
      reachedAt[number] = round
      if (state.kind === 'match') return { isMatch: true, steps: steps + 1 }
      if (++steps > maxSteps) return { isMatch: undefined, steps }
      if (state.kind === 'split') open.push(state.other, state.next)
      else if (state.kind === 'character') waiting.push(number)
      else if (holds(state.assertion, before, after)) open.push(state.next)
    }
    if (done || after === undefined) return { isMatch: false, steps }
    current = followers(states, waiting, after)
    before = after
  }
}

function followers(states: readonly State[], waiting: readonly number[], character: string): number[] {
  const next: number[] = []
  for (const number of waiting) {
    const state = states[number]
    if (state?.kind === 'character' && state.fits(character)) next.push(state.next)
  }
  return next
}

function holds(assertion: Assertion, before: string | undefined, after: string | undefined): boolean {
  switch (assertion) {
    case 'start':
      return before === undefined
    case 'end':
      return after === undefined
    case 'boundary':
      return isWord(before) !== isWord(after)
    case 'notBoundary':
      return isWord(before) === isWord(after)
  }
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /^\w$/.test(character)
}
