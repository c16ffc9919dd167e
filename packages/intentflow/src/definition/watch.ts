import type { FlowInstance } from '../state/flow-instance.ts'
import type { PropsChange } from './event-handlers.ts'

/** What a watch can do with the instance that it watches. */
export interface WatchTools {
  readonly session: string
  readonly signal: AbortSignal
  update(change: PropsChange): Promise<void>
  send(event: string, payload?: Readonly<Record<string, unknown>>): Promise<void>
}

/** Runs while an instance is open, such as to show where an order is. Aborted when it is over. */
export type FlowWatch = (
  instance: FlowInstance & { readonly instanceId: string },
  tools: WatchTools,
) => Promise<void> | void
