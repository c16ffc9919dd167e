import type { Principal, PushPolicy } from '@cool-ai/beach-core'
import type { Adapter } from 'chat'

/** An adapter of Chat SDK, such as `createSlackAdapter()` makes. */
export type ChatAdapter = Omit<Adapter, 'botUserId'> & { readonly botUserId?: string | undefined }

/** A person in a work chat. */
export interface ChatUser {
  /** The name of the adapter, such as `slack`. */
  readonly adapter: string
  /** The workspace, server or tenant of the platform; `-` on a platform that has none. */
  readonly workspace: string
  /** Their id on the platform. */
  readonly user: string
}

/** Where and from whom a message came. */
export interface ChatSender extends ChatUser {
  readonly thread: string
  /** True for a conversation with this person alone. */
  readonly isDirect: boolean
  /** How the platform calls them; they can choose it themselves, so it proves nothing. */
  readonly name: string
}

/** The settings of a work chat. */
export interface ChatChannelOptions {
  /** The adapters by the names that their webhooks have: `slack` is reached at `/channels/chat/slack`. */
  readonly adapters: Readonly<Record<string, ChatAdapter>>
  /** The principal of a person; a user of its own, `slack:T1:U1`, when left out or when it returns undefined. */
  readonly principalOf?: ((who: ChatUser) => Principal | undefined | Promise<Principal | undefined>) | undefined
  /** Whether messages and button presses of a sender are taken at all; of every sender when left out. */
  readonly accepts?: ((from: ChatSender) => boolean) | undefined
  /**
   * Which messages in a channel are for the agent: those that mention it, or also every reply in a thread in which it was
   * mentioned before. `mentions` when left out. Direct messages always are.
   */
  readonly listensTo?: 'mentions' | 'threads' | undefined
  /** After so long without a message a direct conversation begins anew, unless a turn waits; a day when left out. */
  readonly newSessionAfterMs?: number | undefined
  /** The longest message that is taken, in characters; 40,000 when left out. */
  readonly maxTextLength?: number | undefined
  /** The largest file that is taken in; 16 MB when left out. */
  readonly maxFileBytes?: number | undefined
  /** The shortest time between two edits of a message while its text is being written; the platform’s own when left out. */
  readonly editEveryMs?: number | undefined
  readonly push?: PushPolicy | undefined
}

export const chatDefaults = {
  newSessionAfterMs: 24 * 60 * 60 * 1_000,
  maxTextLength: 40_000,
  maxFileBytes: 16 * 1024 * 1024,
} as const
