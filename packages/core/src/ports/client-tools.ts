/** A tool that a client offers, and runs itself when an actor calls it. */
export interface ClientTool {
  readonly name: string
  /** The client's own words: it is content, like what people say. */
  readonly description: string
  /** The JSON Schema of its arguments. */
  readonly parameters: Readonly<Record<string, unknown>>
}

/** What a client has besides messages. It holds until the client brings another one. */
export interface ClientOffer {
  readonly tools: readonly ClientTool[]
  /** How long a call may wait for its client; an hour when left out. */
  readonly timeoutMs?: number | undefined
  /** The state of the client's application: its word, which nothing vouches for. */
  readonly state?: unknown
}

/** A client tool that the actor of a turn may call. */
export interface OfferedTool extends ClientTool {
  readonly client: ToolClient
}

/** Who runs a client tool. */
export interface ToolClient {
  /** Absent when no client of the turn offers the tool: the call has failed then. */
  readonly originatorId?: string | undefined
  readonly timeoutMs?: number | undefined
}

/** How a call of a client tool has ended, as its client says. */
export interface ClientResult {
  readonly callId: string
  readonly outcome: 'ok' | 'failed'
  readonly value: unknown
}

/**
 * What became of a client's result: it counts (`taken`, also the second time it comes), the call had another result
 * (`already`), came too late (`expired`), its turn is over (`over`), or there is no such call for this client.
 */
export type ClientAnswered = 'taken' | 'already' | 'expired' | 'over' | 'notFound'
