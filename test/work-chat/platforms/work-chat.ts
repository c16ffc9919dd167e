import type { ChatAdapter } from '@cool-ai/beach-chat'

/** A message of the agent, as a person sees it. */
export interface SeenMessage {
  readonly id: string
  readonly thread: string
  readonly text: string
  /** What can be pressed. */
  readonly buttons: readonly string[]
  readonly edits: number
  readonly file?: { readonly name: string; readonly bytes: Buffer } | undefined
}

/** A form that a button has opened. */
interface SeenForm {
  /** What stands in its fields, by their labels. */
  readonly fields: Readonly<Record<string, unknown>>
  /** Sends it, with these values for its fields; by somebody else if a person is named. */
  send(values: Readonly<Record<string, string>>, person?: string): Promise<Response>
}

/** A stand-in’s ways to fail, and what it has seen. */
interface WorkChatServer {
  failNext(...faults: readonly PlatformFault[]): void
  lasting: PlatformFault | undefined
}

type PlatformFault =
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly body?: unknown
      readonly headers?: Record<string, string>
    }
  | { readonly kind: 'hang' }
  | { readonly kind: 'lost' }

/** Where something is said, and by which id of the platform it is known. */
export interface Said {
  readonly id?: string | undefined
  /** The thread’s name, for those after the first in it. */
  readonly thread?: string | undefined
}

/** A platform with people, all by one interface. People have plain names; each is someone with an id there. */
export interface WorkChat {
  readonly name: string
  /** The one that a person’s direct messages come from; `-` where they have none. */
  readonly workspace: string
  readonly server: WorkChatServer
  /** The platform’s own limit on posts and edits of a place. */
  readonly rate: { readonly refused: number; refuseNext(...seconds: readonly number[]): void }
  /** An adapter for a process of the agent. */
  adapter(): ChatAdapter
  listen(): Promise<void>
  /** Where the agent’s webhook is from now on. */
  reach(webhook: string): void
  close(): Promise<void>
  user(person: string): string
  /** A direct message; resolves to its id, and rejects when the webhook does not take it. */
  tell(person: string, text: string, said?: Said): Promise<string>
  /** A mention in the team’s channel; resolves to the name of its thread. */
  mention(person: string, text: string, said?: Said): Promise<string>
  /** Something that is said in the team’s channel without a mention. */
  murmur(person: string, text: string): Promise<unknown>
  /** With the same `event` it is the same press, delivered again. */
  press(person: string, message: SeenMessage, label: string, event?: string): Promise<Response>
  /** Opens the form of a button, on a platform that has forms. */
  openForm?(person: string, message: SeenMessage, label: string): Promise<SeenForm>
  /** A slash command, in direct messages or in the team’s channel. With the same `event` it is the same one. */
  command?(person: string, words: string, where: { readonly inTeam: boolean; readonly event: string }): Promise<unknown>
  /** What people were told where they had used a command, on a platform that waits for that. */
  replies?(): readonly string[]
  /** A message is taken away, by whom it is not said. */
  remove(message: SeenMessage | undefined): void
  /** The agent’s messages in a person’s direct conversation. */
  direct(person: string): SeenMessage[]
  /** The agent’s messages in the team’s channel, as a person sees them. */
  team(person: string): SeenMessage[]
  /** Every try to post, also those that failed. */
  attempts(): readonly string[]
  /** How often the agent has shown that it works on something. */
  statuses(): number
  /** Refusals for good, in the platform’s words. */
  readonly refusal: PlatformFault
  /** Requests that are not from the platform, or not as it sends them. */
  readonly forged: Readonly<Record<string, () => Promise<Response>>>
  /** Bodies that no reader expects, with a valid signature. */
  readonly odd: Readonly<Record<string, () => Promise<unknown>>>
  /** An event that brings a direct message, to be delivered more than once; from another workspace if it is named. */
  event(person: string, text: string, workspace?: string): () => Promise<Response>
}

/** What a platform, or its adapter, does not have. */
export interface WorkChatTraits {
  /** A person can be told something in a channel that others do not see. */
  readonly hasPrivateWords: boolean
  /** What stands in a thread can be read, so that a message whose acknowledgement was lost is found. */
  readonly canRead: boolean
  /** The app can be in several workspaces that tell themselves in direct messages. */
  readonly hasWorkspaces: boolean
  /** People see that the app works on something. */
  readonly hasStatus: boolean
  /** Which files it takes. */
  readonly uploads: 'all' | 'pictures' | 'none'
  /** A channel has threads; otherwise all of it is one conversation. */
  readonly hasThreads: boolean
}
