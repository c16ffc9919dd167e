import type { A2uiMessage } from '@cool-ai/beach-protocol'
import type * as z from 'zod'
import type { DisplayMode, Priority, FollowUp } from '../schemas/server-payloads.ts'
import type { FlowPermissions } from './permissions.ts'
import type { Values } from '../schemas/json-problem.ts'

/** What a flow looks like from outside. */
export interface FlowMeta {
  readonly title: string
  readonly description: string
  readonly category?: string | undefined
  readonly icon?: string | undefined
  readonly displayMode: DisplayMode
  readonly priority: Priority
  readonly dismissable: boolean
  /** Its props will be updated while it is open: a hint to stay connected. */
  readonly streaming: boolean
  /** Stay open in a final state, instead of being dismissed. */
  readonly retainOnFinal: boolean
  readonly expiresInMs?: number | undefined
  /** How people ask for it. */
  readonly examples: readonly string[]
}

/** An event of a flow: who sends it, and what its payload looks like. */
export interface FlowEvent {
  /** Who may send it: a client, or only the server itself. */
  readonly source: 'client' | 'server'
  readonly schema?: z.ZodType | undefined
  /** What a button for it says. */
  readonly label?: string | undefined
  /** It stays in the client; the server need not know. */
  readonly local?: boolean | undefined
  /** A model or a peer may send it only after its user has confirmed. */
  readonly confirm?: boolean | undefined
}

/** A flow's events by their names. */
export type FlowEvents = Readonly<Record<string, FlowEvent>>

/** How props of one version become those of another. */
export interface FlowMigration {
  readonly from: string
  readonly to: string
  up(props: Record<string, unknown>): Record<string, unknown>
  down(props: Record<string, unknown>): Record<string, unknown>
}

/** An instance as its text and its surface are made from it. */
export interface FlowView<Props = Values> {
  readonly instanceId: string
  readonly title: string
  readonly state: string
  readonly props: Props
  readonly context: Values
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

/** The payload of an event of a flow. */
export type PayloadOf<F extends Flow, Name extends EventOf<F>> = F['events'][Name] extends {
  readonly schema: infer Schema extends z.ZodType
}
  ? z.output<Schema>
  : Values

/** What happens to a machine: the name of an event, and what came with it. */
export interface MachineEvent {
  readonly type: string
  readonly payload?: Values | undefined
}

interface MachineState {
  readonly state: string
  readonly context: Values
}

/** Where a machine is after an event, and whether that is somewhere else or with another context. */
export interface MachineStep extends MachineState {
  readonly changed: boolean
}

/**
 * The state machine of a flow as functions of what is stored: nothing runs, nothing is remembered. Machines of XState
 * become one by `flowMachine`.
 */
export interface FlowMachine {
  readonly states: readonly string[]
  /** Every event that some state takes; `child.done.*` stands for all ends of children. */
  readonly allEvents: readonly string[]
  /** Where a new instance begins; the machine's own context, overlaid with the given one. */
  initial(context?: Values): MachineState
  /** Where an event leads to; undefined if it is not taken there. */
  next(state: string, context: Values, event: MachineEvent): MachineStep | undefined
  /** The events that a state takes, whatever their guards say. */
  events(state: string): readonly string[]
  isFinal(state: string): boolean
  /** What a state suggests to come next. */
  followUp(state: string, data: FollowUpData): FollowUp | undefined
}

export interface FollowUpData {
  readonly context: Values
  readonly props: Values
}

/** What people say inside a flow, and what it means there. Made by `defineConversation`. */
export interface FlowConversation {
  readonly kind: 'conversation'
  readonly intentId: string
}
