import { join } from 'node:path'
import { partTypeRegistry, systemRuntime, turnStates, type Originator, type Store } from '@cool-ai/beach-core'
import { defineActor, SessionTurnManager } from '@cool-ai/beach-session'
import { SqliteStore } from '@cool-ai/beach-session/sqlite'
import { interleave, type BenchOptions, type Figure } from './measure.ts'
import { withScratchFolder } from './scratch-folder.ts'

const principal = { kind: 'user', id: 'alice', tenant: 'bench' } as const
const from: Originator = { id: 'sse:alice', transport: 'sse', deliveryClass: 'streaming', principal }
const eventsPerTurn = 6
const message = { parts: [{ text: 'hello', metadata: { partType: 'message' } }], from }

/** The next turn of a session with 10,000 events, in a process that has never seen it, against one with 100 (as "bare"). */
export function longSessionBench({ quick }: BenchOptions): Promise<Figure[]> {
  return withScratchFolder(async (folder) => {
    const store = await SqliteStore.open({ path: join(folder, 'beach.db') })
    try {
      const [long, short] = [await session(store, quick ? 300 : 10_000), await session(store, 100)]
      const rounds = await interleave(
        quick ? 3 : 41,
        () => nextTurn(store, long),
        () => nextTurn(store, short),
      )
      return [{ name: 'session: next turn at 10,000 events : at 100', unit: 'ms', rounds, goal: '<= 1.5' }]
    } finally {
      await store.close()
    }
  })
}

/** A session with at least so many events, of turns that were really run. */
async function session(store: Store, events: number): Promise<string> {
  const sessions = process(store)
  const id = await sessions.open({ principal })
  for (let count = 0; count < events / eventsPerTurn; count++) await turn(sessions, id)
  await sessions.stop()
  return id
}

async function nextTurn(store: Store, id: string): Promise<number> {
  const sessions = process(store)
  const started = performance.now()
  await turn(sessions, id)
  const took = performance.now() - started
  await sessions.stop()
  return took
}

function process(store: Store): SessionTurnManager {
  const actor = defineActor(({ respond }) =>
    respond({ parts: [{ partType: 'ack', text: 'Yes.' }], turnState: 'complete' }),
  )
  const options = { store, runtime: systemRuntime(), partTypes: partTypeRegistry, turnStates, actors: { actor } }
  const sessions = new SessionTurnManager(options)
  sessions.start()
  return sessions
}

async function turn(sessions: SessionTurnManager, id: string): Promise<void> {
  const end = new AbortController()
  const { seq } = await sessions.post(id, message, principal)
  for await (const frame of sessions.follow(id, from, String(seq), end.signal)) {
    if (frame.kind === 'settled') break
  }
  end.abort()
}
