/**
 * An AbortController that creates its signal on first use. Most turns end before that, and a signal that
 * aborts is expensive, even without listeners.
 */
export class LazyAbortController {
  #controller: AbortController | undefined
  #aborted: { readonly reason: unknown } | undefined
  #onAbort: Set<(reason: unknown) => void> | undefined

  get aborted(): boolean {
    return this.#aborted !== undefined
  }

  get reason(): unknown {
    return this.#aborted?.reason
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#aborted !== undefined) this.#controller.abort(this.#aborted.reason)
    }
    return this.#controller.signal
  }

  /** Aborts, once; later reasons are not heard. */
  abort(reason: unknown): void {
    if (this.#aborted !== undefined) return
    this.#aborted = { reason }
    this.#controller?.abort(reason)
    for (const run of this.#onAbort ?? []) run(reason)
    this.#onAbort = undefined
  }

  throwIfAborted(): void {
    if (this.#aborted !== undefined) throw this.#aborted.reason
  }

  /** What comes of some work, or the reason when this aborts first: the work may ignore it. */
  or<Value>(work: Value | PromiseLike<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      const letGo = this.onAbort(reject)
      Promise.resolve(work).finally(letGo).then(resolve, reject)
    })
  }

  /** Has something run when this aborts, or at once; the returned function takes that back. */
  onAbort(run: (reason: unknown) => void): () => void {
    if (this.#aborted !== undefined) {
      run(this.#aborted.reason)
      return () => {}
    }
    const all = (this.#onAbort ??= new Set())
    all.add(run)
    return () => all.delete(run)
  }
}
