import type { PeerPart } from '@cool-ai/beach-channel/peers'
import { plainText } from '../plain-text.ts'

/** Writes the parts of an answer as they come: text as it grows, everything else once it is whole. */
export class ShownParts {
  readonly #write: (text: string) => void
  readonly #shown = new Map<string, number>()
  #open: string | undefined

  constructor(write: (text: string) => void) {
    this.#write = write
  }

  take({ partId, part, isOpen, isRetracted }: PeerPart): void {
    if (isRetracted === true) return this.#say(partId, '(taken back)\n')
    const { partType } = part.metadata
    if (part.text === undefined) {
      if (!isOpen && !quiet.has(partType)) this.#say(partId, `[${plainText(partType)}]\n`)
      return undefined
    }
    // An escape sequence could be cut in two: only whole text is cleaned, and of that what is new is written.
    const text = plainText(part.text)
    const written = this.#shown.get(partId) ?? 0
    if (text.length > written) this.#say(partId, text.slice(written))
    this.#shown.set(partId, Math.max(written, text.length))
    if (!isOpen && this.#open === partId) this.end()
    return undefined
  }

  /** Ends the line that is open. */
  end(): void {
    if (this.#open !== undefined) this.#write('\n')
    this.#open = undefined
  }

  #say(partId: string, text: string): void {
    if (this.#open !== undefined && this.#open !== partId) this.end()
    this.#write(text)
    this.#open = text.endsWith('\n') ? undefined : partId
  }
}

/** Said elsewhere, or of no use in a terminal. */
const quiet: ReadonlySet<string> = new Set(['approval-request', 'llm-context', 'a2ui-surface', 'progress'])
