import type { Metadata } from '@ag-ui/core'
import type { TextKind } from './text-kind.ts'

/** What a piece of text means for a client that has some of it already. */
type TextChange = 'goes on' | 'nothing new' | 'differs'

/** A text as the agent says it, and as far as the client has it. */
export class ClientText {
  readonly kind: TextKind
  shown: string
  isOpen = false
  metadata: Metadata | undefined
  /** Who says it, when that is not the agent itself. */
  author: string | undefined
  #said = ''
  /** What was said since both were the same; undefined while they are not. Long texts are not compared for each piece. */
  #rest: string | undefined
  #wasShown: boolean

  constructor(kind: TextKind, shown = '') {
    this.kind = kind
    this.shown = shown
    this.#wasShown = shown !== ''
    this.#rest = shown === '' ? '' : undefined
  }

  /** True when a client should not have it at all. It keeps thoughts that it is not told of: they can only be emptied. */
  get isGone(): boolean {
    return this.shown === '' && (this.kind === 'text' || !this.#wasShown)
  }

  append(offset: number, piece: string): TextChange {
    const { length } = this.#said
    // Something is missing: it comes again from an earlier place.
    if (offset > length) return 'nothing new'
    // What was said before must not cut off what came after it.
    if (offset > 0 && offset < length && this.#said.startsWith(piece, offset)) return 'nothing new'
    if (offset < length) {
      this.#said = this.#said.slice(0, offset) + piece
      return this.#compare(false)
    }
    this.#said += piece
    if (this.#rest === undefined) return this.#compare(false)
    this.#rest += piece
    return this.#rest === '' ? 'nothing new' : 'goes on'
  }

  replaceAll(text: string): TextChange {
    this.#said = text
    return this.#compare(true)
  }

  /** What the client lacks of what was said; it is taken to have it from here on. */
  take(): string {
    const rest = this.#rest ?? this.#said.slice(this.shown.length)
    this.shown = this.#said
    this.#rest = ''
    this.#wasShown ||= this.shown !== ''
    return rest
  }

  restart(): void {
    this.#said = ''
    this.#rest = this.shown === '' ? '' : undefined
  }

  forget(): void {
    this.shown = ''
    this.#rest = this.#said
  }

  #compare(isWhole: boolean): TextChange {
    this.#rest = this.#said === this.shown ? '' : undefined
    if (this.#rest === '') return 'nothing new'
    if (this.#said.startsWith(this.shown)) return 'goes on'
    return !isWhole && this.shown.startsWith(this.#said) ? 'nothing new' : 'differs'
  }
}
