import type { Message } from '@ag-ui/core'

/** The calls of tools that a client has, and which of them it has the results of. */
export class ClientCalls {
  readonly #begun = new Set<string>()
  readonly #ended = new Set<string>()

  /** Those without a result. */
  get open(): readonly string[] {
    return [...this.#begun].filter((callId) => !this.#ended.has(callId))
  }

  /** Takes what a message of the client shows that it has. */
  read(message: Message): void {
    if (message.role === 'assistant') for (const { id } of message.toolCalls ?? []) this.#begun.add(id)
    if (message.role === 'tool') this.#ended.add(message.toolCallId)
  }

  has(callId: string): boolean {
    return this.#begun.has(callId)
  }

  /** False when the client has the call. */
  begin(callId: string): boolean {
    if (this.#begun.has(callId)) return false
    this.#begun.add(callId)
    return true
  }

  /** False when the client has the result. */
  end(callId: string): boolean {
    if (this.#ended.has(callId)) return false
    this.#ended.add(callId)
    return true
  }
}
