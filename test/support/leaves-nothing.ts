import { deepStrictEqual } from 'node:assert'
import { authTypes, partTypes, stateMachines, transports, turnStates } from '@cool-ai/beach-core'
// It adds the parts of envelopes to the default registry, wherever it is imported first.
import '@cool-ai/beach-protocol'
import { afterAll } from 'vitest'

// Test files that share a process share its modules: what one of them leaves behind, the next one would find. A file
// that has to leave something is among those in `vitest.config.ts` that have a process of their own.
const before = whatIsShared()

afterAll(() => deepStrictEqual(whatIsShared(), before))

function whatIsShared() {
  return {
    environment: { ...process.env },
    folder: process.cwd(),
    partTypes: partTypes.entries(),
    turnStates: turnStates.entries(),
    transports: transports.entries(),
    authTypes: authTypes.entries(),
    stateMachines: stateMachines.ids(),
  }
}
