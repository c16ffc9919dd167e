import type { Progress } from '@cool-ai/beach-protocol'

/** The numbers of a progress notification. */
export interface ProgressNumbers {
  readonly progress: number
  readonly total?: number
}

/** So many steps that are not counted are as much as one that is. */
const steps = 100

/**
 * The numbers of a call's progress notifications, which must rise. What is counted has its own numbers and total; when the
 * count of something else begins, it goes on from there. What is not counted moves them by very little.
 */
export class ProgressCount {
  #sent = 0
  #base = 0
  #last: { readonly label: string; readonly done: number } | undefined

  next(counted?: Progress): ProgressNumbers {
    const { label = '', done, total } = counted ?? {}
    if (done === undefined) return { progress: this.#rise(0) }
    if (this.#last !== undefined && (this.#last.label !== label || done < this.#last.done)) {
      this.#base = Math.ceil(this.#sent)
    }
    this.#last = { label, done }
    return { progress: this.#rise(this.#base + done), ...(total !== undefined && { total: this.#base + total }) }
  }

  #rise(wanted: number): number {
    this.#sent = wanted > this.#sent ? wanted : Math.floor(this.#sent * steps + 1) / steps
    return this.#sent
  }
}
