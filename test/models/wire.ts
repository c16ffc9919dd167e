import type { Model } from '@cool-ai/beach-llm'

/** One block of a model's message, whatever the wire calls it. */
export type Block =
  | { readonly reasoning: string; readonly signature?: string }
  | { readonly redacted: string }
  | { readonly text: string }
  | { readonly id: string; readonly tool: string; readonly input: unknown }

interface TokenCounts {
  readonly input: number
  readonly cached?: number
  readonly written?: number
  readonly output: number
}

export interface MessageOptions {
  readonly usage?: TokenCounts
  /** Why the model stopped, in the wire's own words. */
  readonly stop?: string
  /** How many characters go into one delta. */
  readonly pieceLength?: number
}

/** A request in one form for all wires. */
export interface Asked {
  readonly system: string
  readonly tools: readonly { readonly name: string; readonly schema: unknown }[]
  /** True when the model must call a tool. */
  readonly forced: boolean
  /** Results of tools that the request brings, by the id of their call. */
  readonly results: Readonly<Record<string, string>>
  /** Reasoning that the request brings back. */
  readonly reasoning: readonly Readonly<Record<string, string>>[]
  /** What the user said, oldest first. */
  readonly user: readonly string[]
  /** The names and ids of the calls that the request brings back. */
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: unknown }[]
}

/** A provider's wire format, so that one suite can hold for all. */
export interface Wire {
  readonly name: string
  /** The status that says that the provider has too much to do. */
  readonly overloaded: number
  model(settings: { readonly baseURL: string; readonly apiKey: string }): Promise<Model>
  /** A whole message as server-sent events, one string each. */
  message(blocks: readonly Block[], options?: MessageOptions): string[]
  /** An error's body. */
  error(type: string, message: string): unknown
  /** An error in the middle of a stream. */
  errorEvent(type: string, message: string): string
  /** The events that end a message; without them it is not complete. */
  readonly ending: number
  asked(body: Readonly<Record<string, unknown>>): Asked
}

/** The text in pieces of this length. */
export function pieces(text: string, length: number): string[] {
  return Array.from({ length: Math.ceil(text.length / length) }, (_, index) =>
    text.slice(index * length, (index + 1) * length),
  )
}

/** The input of a tool call as a model writes it; a text is taken as it is, right or wrong. */
export function inputText(input: unknown): string {
  return typeof input === 'string' ? input : JSON.stringify(input)
}
