import type { PropsChange } from '../definition/index.ts'
import type { ActionRequest, DismissReason } from '../schemas/index.ts'
import type { FlowOpening } from './open-flow.ts'

type Json = Readonly<Record<string, unknown>>

/** What the program itself says to its flows. */
export type OwnRequest =
  /** How things stand. */
  | { readonly kind: 'look' }
  /** Shows a flow, or prepares it for a turn to say. */
  | { readonly kind: 'open'; readonly opening: FlowOpening; readonly isPrepared?: boolean }
  | { readonly kind: 'send'; readonly instanceId: string; readonly event: string; readonly payload?: Json }
  | { readonly kind: 'update'; readonly instanceId: string; readonly change: PropsChange }
  | { readonly kind: 'dismiss'; readonly instanceId: string; readonly reason: DismissReason; readonly result?: Json }
  | { readonly kind: 'action'; readonly request: ActionRequest }
  /** What a client could say, for the owner of the session: by a link. */
  | { readonly kind: 'owner'; readonly said: unknown }
  /** A caller other than the user wants an event that the user must confirm. */
  | {
      readonly kind: 'propose'
      readonly instanceId: string
      readonly event: string
      readonly payload?: Json
      readonly eventId: string
    }
  | { readonly kind: 'confirm'; readonly instanceId: string; readonly confirmationId: string }

/** An input of the program's own. Nothing that comes as JSON can be one. */
export interface OwnInput {
  readonly request: OwnRequest
}

const own = new WeakSet<object>()

export function ownInput(request: OwnRequest): OwnInput {
  const input = { request }
  own.add(input)
  return input
}

export function isOwnInput(said: unknown): said is OwnInput {
  return typeof said === 'object' && said !== null && own.has(said)
}
