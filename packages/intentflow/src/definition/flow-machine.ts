import type { FollowUp } from '../schemas/server-payloads.ts'

/** What happens to a machine: the name of an event, and what came with it. */
export interface MachineEvent {
  readonly type: string
  readonly payload?: Readonly<Record<string, unknown>>
}

/** Where a machine is. */
export interface MachineState {
  readonly state: string
  readonly context: Readonly<Record<string, unknown>>
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
  initial(context?: Readonly<Record<string, unknown>>): MachineState
  /** Where an event leads to; undefined if it is not taken there. */
  next(state: string, context: Readonly<Record<string, unknown>>, event: MachineEvent): MachineStep | undefined
  /** The events that a state takes, whatever their guards say. */
  events(state: string): readonly string[]
  isFinal(state: string): boolean
  /** What a state suggests to come next. */
  followUp(state: string, data: FollowUpData): FollowUp | undefined
}

/** What the props of a follow-up can be made from. */
export interface FollowUpData {
  readonly context: Readonly<Record<string, unknown>>
  readonly props: Readonly<Record<string, unknown>>
}
