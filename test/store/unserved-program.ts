import { createBeach, defineActor } from '@cool-ai/beach'
import { BeachError } from '@cool-ai/beach-core'
import { MemoryStore } from '@cool-ai/beach-session/memory'

// A program that serves no requests, and opens a session on a disk that is full.
class FullStore extends MemoryStore {
  override append(): Promise<number> {
    return Promise.reject(new BeachError('STORE_UNAVAILABLE', 'The disk is full.'))
  }
}

const beach = await createBeach({
  agent: { id: 'unserved', name: 'Unserved' },
  actors: { main: defineActor(async () => {}) },
  data: { store: new FullStore(), secret: new Uint8Array(32) },
})
await beach.sessions.open({ principal: { kind: 'user', id: 'anna', tenant: 'default' } })
