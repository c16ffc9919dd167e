import { AsyncLocalStorage } from 'node:async_hooks'
import { MemoryStore } from '@cool-ai/beach-session/memory'

/** What callers cause at once; what a turn does follows later, and belongs to no request. */
const causedByCallers: ReadonlySet<string> = new Set([
  'sessionOpened',
  'messageReceived',
  'approvalDecided',
  'approvalVoided',
  'cancelRequested',
  'originatorJoined',
  'originatorLeft',
  'clientOffered',
  'dataErased',
])

/** A store in memory that tells what a caller has changed. */
export class CountedStore extends MemoryStore {
  /** By whichever caller. */
  changes: string[] = []
  readonly #ofRequest = new AsyncLocalStorage<string[]>()

  /** Runs a request, and gives what it has changed; what earlier ones still do in the background is not its doing. */
  async during<Result>(run: () => Promise<Result>): Promise<{ result: Result; changes: readonly string[] }> {
    const changes: string[] = []
    const result = await this.#ofRequest.run(changes, run)
    return { result, changes }
  }

  override async append(...given: Parameters<MemoryStore['append']>): Promise<number> {
    this.#note(given[2])
    return super.append(...given)
  }

  override async appendAndClaim(...given: Parameters<MemoryStore['appendAndClaim']>) {
    this.#note(given[2])
    return super.appendAndClaim(...given)
  }

  #note(events: readonly unknown[]): void {
    for (const event of events) {
      const { type } = event as { readonly type?: string }
      if (type === undefined || !causedByCallers.has(type)) continue
      this.changes.push(type)
      this.#ofRequest.getStore()?.push(type)
    }
  }
}
