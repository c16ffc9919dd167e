import {
  PartTypeRegistry,
  simulatedRuntime,
  TurnStateRegistry,
  type Channel,
  type Originator,
  type Principal,
  type Runtime,
  type SimulatedClock,
  type Store,
} from '@cool-ai/beach-core'
import { cron, type CronJob } from '@cool-ai/beach-hooks'
import { defineActor, SessionTurnManager, type ActorContext } from '@cool-ai/beach-session'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { channelContext } from '@cool-ai/beach-testing/contracts'

const operator: Principal = { kind: 'operator', id: 'test', tenant: 'default' }

/** A clock that can also be set, as that of a machine can; timers go on as they were. */
interface SettableClock {
  readonly simulated: SimulatedClock
  readonly now: () => number
  readonly timer: (ms: number, run: () => void) => () => void
  /** Sets the clock forward or back by this. */
  readonly jump: (ms: number) => void
}

function settable(simulated: SimulatedClock): SettableClock {
  let offset = 0
  return {
    simulated,
    now: () => simulated.now() + offset,
    timer: (ms, run) => simulated.timer(ms, run),
    jump: (ms) => {
      offset += ms
    },
  }
}

export interface CronContext {
  readonly runtime: Runtime & { readonly clock: SettableClock }
  readonly store: Store
  /** Starts a process that has the job. */
  start(job: Partial<CronJob> & Pick<CronJob, 'cron'>, options?: ProcessOptions): CronProcess
  /** Lets time pass, in steps, so that everything that falls due can happen. */
  advance(ms: number): Promise<void>
}

interface ProcessOptions {
  readonly store?: Store
  readonly actor?: (turn: ActorContext) => Promise<void>
  readonly channels?: readonly Channel[]
}

interface CronProcess {
  readonly sessions: SessionTurnManager
  readonly jobs: ReturnType<typeof cron>['jobs']
  readonly stop: () => Promise<void>
}

const answer = async ({ respond }: ActorContext) => {
  await respond({ parts: [{ partType: 'response', text: 'done' }], turnState: 'complete' })
}

/** One store on a clock that begins at a time; sessions and jobs of any number of processes on it. */
export function cronContext(begin: string): CronContext {
  const simulated = simulatedRuntime()
  const { clock } = simulated
  const runtime = { ...simulated, clock: settable(clock) }
  runtime.clock.jump(Date.parse(begin) - clock.now())
  const store = new MemoryStore({ runtime })
  const partTypes = PartTypeRegistry.canonical()
  const turnStates = TurnStateRegistry.canonical()
  return {
    runtime,
    store,
    start(job, options = {}) {
      const parts: CronJob['parts'] = ({ at }) => [{ partType: 'message', text: new Date(at).toISOString() }]
      const own = options.store ?? store
      const jobs = { report: { session: 'new', parts, ...job } as const }
      const channel = cron({ jobs })
      const actors = { main: defineActor(options.actor ?? answer) }
      const channels = [channel, ...(options.channels ?? [])]
      const sessions = new SessionTurnManager({ store: own, runtime, partTypes, turnStates, actors, channels })
      const ending = new AbortController()
      sessions.start()
      const context = channelContext({ sessions, store: own, runtime, partTypes, signal: ending.signal })
      for (const each of channels) void each.start(context)
      return {
        sessions,
        jobs: () => channel.jobs(),
        async stop() {
          ending.abort()
          await sessions.stop()
        },
      }
    },
    async advance(ms) {
      for (let left = ms; left > 0; left -= step) {
        await clock.advance(Math.min(step, left))
      }
      await clock.advance(0)
    },
  }
}

const step = 10 * 60_000

/** What jobs have said: for each message its text, by session, in order of time. */
export async function runs(sessions: SessionTurnManager): Promise<string[]> {
  return (await runsBySession(sessions)).flat().toSorted()
}

export async function runsBySession(sessions: SessionTurnManager): Promise<string[][]> {
  const { items } = await sessions.list({ limit: 200 }, operator)
  const to: Originator = { id: 'test', transport: 'sse', deliveryClass: 'streaming', principal: operator }
  const all = items.map(async ({ sessionId }) => {
    const said: string[] = []
    for await (const frame of sessions.history(sessionId, to)) {
      if (frame.kind === 'part' && frame.role === 'user') said.push(frame.part.text ?? '')
    }
    return said
  })
  return (await Promise.all(all)).filter((said) => said.length > 0)
}
