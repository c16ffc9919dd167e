// The messages of the AI SDK (`UIMessage` of the package `ai` 7), as far as an agent writes and reads them.

/** What a page of Beach may want to know of a part; the AI SDK keeps it as it is. */
type BeachMetadata = { readonly beach: Readonly<Record<string, unknown>> }

/** A part of an agent's message. */
export type UiPart =
  | {
      readonly type: 'text' | 'reasoning'
      readonly text: string
      readonly state: 'streaming' | 'done'
      readonly providerMetadata: BeachMetadata
    }
  | ToolPart
  | {
      readonly type: 'file'
      readonly url: string
      readonly mediaType: string
      readonly providerMetadata: BeachMetadata
    }
  | { readonly type: 'source-url'; readonly sourceId: string; readonly url: string; readonly title?: string }
  | { readonly type: 'source-document'; readonly sourceId: string; readonly mediaType: string; readonly title: string }
  | { readonly type: `data-${string}`; readonly id: string; readonly data: unknown }

/** A call of a tool, as far as it has come. */
export interface ToolPart {
  readonly type: 'dynamic-tool'
  readonly toolCallId: string
  readonly toolName: string
  readonly title?: string
  readonly input: unknown
  /** False for a call that the page runs itself. */
  readonly providerExecuted: boolean
  readonly approval?: ToolApproval
  readonly outcome?: ToolOutcome
}

/** The request that a call waits for, or waited for. */
export interface ToolApproval {
  readonly id: string
  readonly descriptor?: Readonly<Record<string, unknown>>
  readonly approved?: boolean
  readonly reason?: string
}

/** How a call has ended. */
export type ToolOutcome =
  | { readonly kind: 'output'; readonly output: unknown }
  | { readonly kind: 'error'; readonly errorText: string }
  | { readonly kind: 'denied' }

/** A chunk of the UI message stream. */
export type UiChunk = { readonly type: string } & Readonly<Record<string, unknown>>

/** A message as `GET /chat/:id` gives it: what `useChat` takes as its first messages. */
export interface UiMessage {
  readonly id: string
  readonly role: 'user' | 'assistant'
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly parts: readonly Readonly<Record<string, unknown>>[]
}
