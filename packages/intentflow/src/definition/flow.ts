import type { A2uiMessage } from '@cool-ai/beach-protocol'
import type * as z from 'zod'
import type { DisplayMode, Priority } from '../schemas/server-payloads.ts'
import type { FlowMachine } from './flow-machine.ts'
import type { FlowPermissions } from './permissions.ts'

/** What a flow looks like from outside. */
export interface FlowMeta {
  readonly title: string
  readonly description: string
  readonly category?: string
  readonly icon?: string
  readonly displayMode: DisplayMode
  readonly priority: Priority
  readonly dismissable: boolean
  /** Its props will be updated while it is open: a hint to stay connected. */
  readonly streaming: boolean
  /** Stay open in a final state, instead of being dismissed. */
  readonly retainOnFinal: boolean
  /** How long an instance may be open. */
  readonly expiresInMs?: number
  /** How people ask for it. */
  readonly examples: readonly string[]
}

/** One event of a flow's machine. */
export interface FlowEvent {
  /** Who may send it: a client, or only the server itself. */
  readonly source: 'client' | 'server'
  /** What its payload must look like. */
  readonly schema?: z.ZodType
  /** What a button for it says. */
  readonly label?: string
  /** It stays in the client; the server need not know. */
  readonly local?: boolean
  /** A model or a peer may send it only after its user has confirmed. */
  readonly confirm?: boolean
}

export type FlowEvents = Readonly<Record<string, FlowEvent>>

/** How props of one version become those of another. */
export interface FlowMigration {
  readonly from: string
  readonly to: string
  up(props: Record<string, unknown>): Record<string, unknown>
  down(props: Record<string, unknown>): Record<string, unknown>
}

/** An instance as its text and its surface are made from it. */
export interface FlowView<Props = Readonly<Record<string, unknown>>> {
  readonly instanceId: string
  readonly title: string
  readonly state: string
  readonly props: Props
  readonly context: Readonly<Record<string, unknown>>
  /** What the user can do now. */
  readonly events: readonly { readonly name: string; readonly label: string }[]
}

/** A flow: props with a schema, a state machine, and what else is to be known to run it. Made by `defineFlow`. */
export interface Flow<Schema extends z.ZodObject = z.ZodObject, Events extends FlowEvents = FlowEvents> {
  readonly kind: 'flow'
  readonly intentId: string
  readonly version: string
  readonly meta: FlowMeta
  readonly schema: Schema
  readonly machine: FlowMachine
  readonly events: Events
  readonly permissions: FlowPermissions
  readonly migrations: readonly FlowMigration[]
  /** The machine's context to begin with. */
  context(props: z.output<Schema>): Record<string, unknown>
  /** The readable form, for mail and phones. */
  text?(view: FlowView<z.output<Schema>>): string
  /** The flow as a surface of A2UI, where no component can show it; without one, made from its text and its events. */
  surface?(view: FlowView<z.output<Schema>>): readonly A2uiMessage[] | undefined
}

/** The props of a flow. */
export type PropsOf<F extends Flow> = z.output<F['schema']>

/** The names of a flow's events. */
export type EventOf<F extends Flow> = keyof F['events'] & string

/** The payload of one event of a flow. */
export type PayloadOf<F extends Flow, Name extends EventOf<F>> = F['events'][Name] extends {
  readonly schema: infer Schema extends z.ZodType
}
  ? z.output<Schema>
  : Readonly<Record<string, unknown>>
