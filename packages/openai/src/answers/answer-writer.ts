import type { AnswerItem, AnswerSource, TextItem } from './answer-item.ts'

/** An item as it was sent: what a client has it under. */
export interface WrittenItem {
  readonly item: AnswerItem
  /** Its place among the items of the answer. */
  readonly index: number
  /** Where it is the second one of its key, because the first was taken back. */
  readonly version: number
  /** False for one that was taken back in the middle. */
  readonly isWhole: boolean
}

/** What a client is to be told next. */
export type AnswerChange =
  | { readonly kind: 'begin'; readonly written: WrittenItem }
  | { readonly kind: 'text'; readonly written: WrittenItem; readonly delta: string }
  | { readonly kind: 'source'; readonly written: WrittenItem; readonly source: AnswerSource; readonly number: number }
  | { readonly kind: 'end'; readonly written: WrittenItem }

/**
 * Tells a client what is new in an answer. Items come one after the other; the last one may grow. OpenAI's protocols can
 * take nothing back: what a crash has made invalid is cut off, and said again.
 */
export class AnswerWriter {
  readonly #written: WrittenItem[] = []
  #isOpen = false

  /** What was sent. */
  get written(): readonly WrittenItem[] {
    return this.#written
  }

  update(items: readonly AnswerItem[]): AnswerChange[] {
    const changes: AnswerChange[] = []
    const open = this.#open
    if (open !== undefined && !items.some((item) => item.key === open.item.key && goesOn(open.item, item))) {
      changes.push(this.#end(false))
    }
    for (const item of items) changes.push(...this.#bring(item))
    return changes
  }

  /** Ends what is open. */
  close(isWhole = true): AnswerChange[] {
    return this.#open === undefined ? [] : [this.#end(isWhole)]
  }

  get #open(): WrittenItem | undefined {
    return this.#isOpen ? this.#written.at(-1) : undefined
  }

  #bring(item: AnswerItem): AnswerChange[] {
    const before = this.#written.findLast((one) => one.item.key === item.key)
    if (before?.isWhole !== true) return this.#begin(item, before)
    return before === this.#open ? this.#grow(before, item) : []
  }

  #begin(item: AnswerItem, before: WrittenItem | undefined): AnswerChange[] {
    const closed = this.close()
    const version = (before?.version ?? 0) + 1
    const empty = item.kind === 'call' ? item : { ...item, text: '', sources: [] }
    const written = { item: empty, index: this.#written.length, version, isWhole: true }
    this.#written.push(written)
    this.#isOpen = true
    const begun = [...closed, { kind: 'begin' as const, written }]
    return item.kind === 'call' ? [...begun, this.#end(true)] : [...begun, ...this.#grow(written, item)]
  }

  #grow(before: WrittenItem, item: AnswerItem): AnswerChange[] {
    if (before.item.kind === 'call' || item.kind === 'call') return []
    const delta = item.text.slice(before.item.text.length)
    const fresh = item.sources.slice(before.item.sources.length)
    const written = { ...before, item }
    this.#written[this.#written.length - 1] = written
    return [
      ...(delta === '' ? [] : [{ kind: 'text' as const, written, delta }]),
      ...fresh.map((source, at) => {
        return {
          kind: 'source' as const,
          written,
          source,
          number: before.item.kind === 'call' ? at : sourceCount(before.item) + at,
        }
      }),
    ]
  }

  #end(isWhole: boolean): AnswerChange {
    const last = this.#written.at(-1) as WrittenItem
    const written = { ...last, isWhole }
    this.#written[this.#written.length - 1] = written
    this.#isOpen = false
    return { kind: 'end', written }
  }
}

function sourceCount({ sources }: TextItem): number {
  return sources.length
}

function goesOn(before: AnswerItem, now: AnswerItem): boolean {
  return before.kind === 'call' || now.kind === 'call' || now.text.startsWith(before.text)
}
