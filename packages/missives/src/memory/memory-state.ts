import { BeachError } from '@cool-ai/beach-core'

/** When, and by which channel, a person has agreed that the agent remembers what they say. */
export interface MemoryConsent {
  readonly at: number
  readonly via?: string | undefined
}

/** One thing that is remembered of a person. */
export interface Memory {
  readonly id: string
  readonly at: number
  readonly text: string
  /** The foreign origins of what the turn had seen: the entry may say what that content said. */
  readonly origins: readonly string[]
  /** The session in which it was said. */
  readonly sessionId: string
}

/** How much is remembered of one person. */
export interface MemoryLimits {
  /** 200 when left out. */
  readonly maxEntries?: number | undefined
  /** Of one entry; 1,000 when left out. */
  readonly maxCharacters?: number | undefined
}

/** An event of a person's memory log. */
export type MemoryEvent =
  | { readonly type: 'consented'; readonly at: number; readonly via?: string | undefined }
  /** Nothing may be remembered from now on, and nothing of before is. Also what a person says who is asked and declines. */
  | { readonly type: 'refused'; readonly at: number; readonly via?: string | undefined }
  | ({ readonly type: 'remembered' } & Memory)
  /** In place of an entry that was forgotten. */
  | { readonly type: 'gone' }

/** An entry with its place in the log. */
interface PlacedMemory extends Memory {
  readonly seq: number
}

/** What a memory log says. */
export interface MemoryState {
  readonly consent?: MemoryConsent
  readonly refusedAt?: number
  readonly entries: readonly PlacedMemory[]
  /** Entries of before a refusal whose words are still in the log: the process died before they were erased. */
  readonly leftover: readonly number[]
}

export const emptyMemory: MemoryState = { entries: [], leftover: [] }

/** Folds one event of a memory log. */
export function foldMemory(state: MemoryState, event: MemoryEvent, seq: number): MemoryState {
  switch (event.type) {
    case 'consented':
      return { ...state, consent: { at: event.at, via: event.via } }
    case 'refused': {
      const leftover = [...state.leftover, ...state.entries.map((entry) => entry.seq)]
      return { refusedAt: event.at, entries: [], leftover }
    }
    case 'remembered': {
      const { type: _, ...entry } = event
      return { ...state, entries: [...state.entries, { ...entry, seq }] }
    }
    case 'gone':
      return state
    default:
      // Its key was thrown away.
      return state
  }
}

/** A text that may be kept, on one line of its own for each of its lines; an error for one that is empty or too long. */
export function memoryText(text: string, maxCharacters: number): string {
  const plain = text.normalize('NFC').trim()
  if (plain === '') throw new BeachError('BAD_REQUEST', 'There is nothing to remember in an empty text.')
  if (plain.length <= maxCharacters) return plain
  throw new BeachError(
    'TOO_LARGE',
    `An entry has at most ${maxCharacters} characters, and this has ${plain.length}. Say it shorter, or in several entries.`,
  )
}
