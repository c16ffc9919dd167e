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

/** A store in memory that counts what callers have changed. */
export class CountedStore extends MemoryStore {
  changes: string[] = []

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
      if (type !== undefined && causedByCallers.has(type)) this.changes.push(type)
    }
  }
}
