import type { OpenPlace } from './chat-sender.ts'

interface OpenSend {
  readonly ended: Promise<unknown>
  /** The messages that it has posted so far. */
  readonly messageIds: ReadonlySet<string>
}

/** What this process is sending now. A button may be pressed before it is on record what the button stands for. */
export class OpenSends {
  readonly #open = new Map<string, Set<OpenSend>>()

  async run<Value>(place: OpenPlace, send: (posted: (messageId: string) => void) => Promise<Value>): Promise<Value> {
    const channel = channelOf(place)
    const messageIds = new Set<string>()
    const ended = send((messageId) => void messageIds.add(messageId))
    const one = { ended, messageIds }
    const all = this.#open.get(channel) ?? new Set<OpenSend>()
    this.#open.set(channel, all.add(one))
    try {
      return await ended
    } finally {
      all.delete(one)
      if (all.size === 0 && this.#open.get(channel) === all) this.#open.delete(channel)
    }
  }

  /** Resolves once a message is on record with all that can be chosen in it; one that is not known yet may be under way. */
  async recorded(place: OpenPlace, messageId: string, isKnown: boolean): Promise<void> {
    const sends = [...(this.#open.get(channelOf(place)) ?? [])]
    const its = sends.filter(({ messageIds }) => !isKnown || messageIds.has(messageId))
    await Promise.allSettled(its.map(({ ended }) => ended))
  }
}

/** A press in a direct conversation names the message as its thread: only its channel is certain. */
function channelOf({ platform, workspace, thread }: OpenPlace): string {
  return JSON.stringify([platform.name, workspace, platform.adapter.channelIdFromThreadId(thread)])
}
