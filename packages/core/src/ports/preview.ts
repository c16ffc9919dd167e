import type { Envelope } from '../envelope.ts'
import type { Originator } from '../originator.ts'
import type { Principal } from '../principal.ts'
import type { TurnState } from '../registries/turn-states.ts'
import type { Frame } from './sessions.ts'

/**
 * A turn as it would go to listeners of any kind, made of the log as everything else is. A peer's llm-context is in it
 * also when no peer has listened. Nothing is sent, and nothing is written.
 */
export interface TurnPreview {
  readonly sessionId: string
  readonly turnId: string
  /** Whose session it is: stand-ins have this principal. */
  readonly owner: Principal
  readonly turnState: TurnState
  readonly isSettled: boolean
  /** Approvals that the turn waits for. */
  readonly pendingApprovals: readonly string[]
  /** The settled envelope as `to` may have it, without parts that it has; undefined before the turn has settled. */
  envelope(to: Originator, without?: ReadonlySet<string>): Envelope | undefined
  /** What would have been pushed to `to` up to now: one envelope each time that something was due. */
  pushes(to: Originator): readonly Envelope[]
  /** The turn's durable frames as `to` may have them, with the messages that it answers. */
  frames(to: Originator): readonly Frame[]
}

/** One thing that a channel would send. Secrets such as tokens and codes are not in it. */
export type PreviewItem =
  | {
      readonly kind: 'mail'
      readonly subject: string
      readonly text: string
      readonly html: string
      readonly attachments: readonly PreviewFile[]
    }
  | {
      /** A short message, as a phone shows it. */
      readonly kind: 'message'
      readonly text: string
      /** Answers to tap on. */
      readonly choices?: readonly string[]
      readonly file?: string
      /** What there is to know of it besides, such as how many segments it takes. */
      readonly note?: string | undefined
      /** The message in the terms of its protocol, where that says more. */
      readonly payload?: unknown
    }
  | {
      /** What a program gets. */
      readonly kind: 'json'
      readonly title: string
      readonly value: unknown
    }

/** A file as a preview of a channel shows it. */
export interface PreviewFile {
  readonly name: string
  readonly mimeType: string
  readonly sizeBytes: number
}

/** What a channel would make of a turn. */
export interface ChannelPreview {
  /** Who gets it, in a word or two: `Email`. */
  readonly label: string
  readonly items: readonly PreviewItem[]
  /** Why there is nothing, or what holds of all of it. */
  readonly note?: string | undefined
}
