import type { AgentCapabilities } from '@ag-ui/core'
import type { AgentAbout } from '@cool-ai/beach-channel'
import { defined } from '@cool-ai/beach-core/runtime'

/** What a client can expect of the agent before it runs it. */
export function capabilitiesOf({ name, version, description }: AgentAbout, clientProvided: boolean): AgentCapabilities {
  return {
    identity: defined({ name, type: 'beach', version, description }),
    // A run is read again by its runId; that is not the resumption by number which the flag `resumable` speaks of.
    transport: { streaming: true, websocket: false, httpBinary: false, pushNotifications: false, resumable: false },
    tools: { supported: true, clientProvided },
    state: { snapshots: true, deltas: true, persistentState: true },
    reasoning: { supported: true },
    humanInTheLoop: { supported: true, approvals: true, interrupts: true, approveWithEdits: false },
  }
}
