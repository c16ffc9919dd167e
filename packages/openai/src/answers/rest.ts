import type { Frame } from '@cool-ai/beach-core'

/**
 * Tells from the frames of a turn where it first waits for its client or for a person: there an answer ends, also when it is
 * read again after the turn has gone on.
 */
export class Rest {
  readonly #viewer: string
  readonly #calls = new Set<string>()
  readonly #approvals = new Set<string>()

  constructor(viewer: string) {
    this.#viewer = viewer
  }

  /** The calls that the client has not answered. */
  get calls(): ReadonlySet<string> {
    return this.#calls
  }

  /** The requests that were not decided. */
  get approvals(): ReadonlySet<string> {
    return this.#approvals
  }

  /** True when the turn waits with this frame. */
  apply(frame: Frame): boolean {
    switch (frame.kind) {
      case 'call':
        if (frame.client === this.#viewer) this.#calls.add(frame.callId)
        return false
      case 'result':
        this.#calls.delete(frame.callId)
        return false
      case 'part':
        if (frame.part.metadata.partType === 'approval-request') this.#asked(frame.part.data)
        return false
      case 'decision':
        this.#approvals.delete(frame.approvalId)
        return false
      case 'turn':
        if (frame.waitsForClient === true && this.#calls.size > 0) return true
        return frame.turnState === 'suspended' && this.#approvals.size > 0
      default:
        return false
    }
  }

  #asked(data: unknown): void {
    if (typeof data !== 'object' || data === null || !('approvalId' in data)) return
    if (typeof data.approvalId === 'string') this.#approvals.add(data.approvalId)
  }
}
