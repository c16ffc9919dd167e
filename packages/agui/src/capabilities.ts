import type { AgentCapabilities } from '@ag-ui/core'

/** What an agent says of itself. */
export interface AguiAbout {
  readonly id: string
  readonly name: string
  readonly version?: string
  readonly description?: string
}

/** What a client can expect of the agent before it runs it. */
export function capabilitiesOf({ name, version, description }: AguiAbout): AgentCapabilities {
  return {
    identity: {
      name,
      type: 'beach',
      ...(version !== undefined && { version }),
      ...(description !== undefined && { description }),
    },
    // A run is read again by its runId; that is not the resumption by number which the flag `resumable` speaks of.
    transport: { streaming: true, websocket: false, httpBinary: false, pushNotifications: false, resumable: false },
    tools: { supported: true, clientProvided: false },
    state: { snapshots: true, deltas: true, persistentState: true },
    reasoning: { supported: true },
    humanInTheLoop: { supported: true, approvals: true, interrupts: true, approveWithEdits: false },
  }
}
