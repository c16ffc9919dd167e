import { isDeepStrictEqual } from 'node:util'
import {
  PartTypeRegistry,
  simulatedRuntime,
  TurnStateRegistry,
  type Originator,
  type Principal,
  type Store,
} from '@cool-ai/beach-core'
import { EnvelopeStream } from '@cool-ai/beach-protocol/stream'
import { SessionTurnManager } from '@cool-ai/beach-session'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { Ledger, simulatedActors, stories } from './actors.ts'
import { problemsOf, type Outside } from './checks.ts'
import { Postbox } from './postbox.ts'
import { FaultyStore, noFaults, type Faults } from './faulty-store.ts'
import { calmPostgres, PostgresModel, PostgresProcess, type PostgresBug } from './postgres-model.ts'

/** Puts a bug into the store that every process uses. */
export type PlantedBug = (store: Store) => Store

export interface SimulationOptions {
  readonly plant?: PlantedBug | undefined
  /** Processes have stores of their own on one database, as on PostgreSQL; otherwise they share one store. */
  readonly postgres?: { readonly bug?: PostgresBug | undefined } | undefined
}

const partTypes = PartTypeRegistry.canonical()
const turnStates = TurnStateRegistry.canonical()

interface Process {
  readonly sessions: SessionTurnManager
  readonly store: FaultyStore
}

/** One run of the whole system on simulated time: everything that happens in it follows from the seed. */
export class Simulation {
  readonly #runtime
  readonly #store: Store
  readonly #ledger = new Ledger()
  readonly #postbox = new Postbox()
  readonly #processes: Process[] = []
  readonly #sessions: string[] = []
  readonly #owners = new Map<string, Principal>()
  readonly #acknowledged = new Map<string, string>()
  readonly #sent = new Map<string, string>()
  readonly #confirmed: string[] = []
  readonly #viewers = new Map<string, EnvelopeStream>()
  readonly #end = new AbortController()
  readonly #postgres: PostgresModel | undefined
  readonly #postgresBug: PostgresBug | undefined
  #messages = 0

  constructor(seed: number, { plant = (store) => store, postgres }: SimulationOptions = {}) {
    this.#runtime = simulatedRuntime({ seed })
    this.#store = plant(new MemoryStore({ runtime: this.#runtime }))
    const random = () => this.#runtime.random()
    if (postgres !== undefined) this.#postgres = new PostgresModel(this.#store, this.#runtime.clock, random)
    this.#postgresBug = postgres?.bug
  }

  /** Runs it, and says what went wrong. */
  async run(): Promise<string[]> {
    this.#startProcess()
    const opener = this.#startProcess(noFaults)
    for (let count = 1 + this.#upTo(2); count > 0; count--) await this.#open(opener)
    for (let step = 8 + this.#upTo(20); step > 0; step--) {
      this.#act()
      await this.#runtime.clock.advance(this.#upTo(4_000))
      this.#setClock()
    }
    const elsewhere = await this.#calm()
    return [...elsewhere, ...(await this.#problems())]
  }

  /** Every event of every session, to compare two runs. */
  async trace(): Promise<unknown[]> {
    return Promise.all(this.#sessions.map((session) => this.#store.read(session, 0)))
  }

  async #open({ sessions }: Process): Promise<void> {
    const owner: Principal = { kind: 'user', id: `owner${this.#sessions.length}`, tenant: 'sim' }
    const session = await sessions.open({ principal: owner })
    this.#sessions.push(session)
    this.#owners.set(session, owner)
    if (this.#runtime.random() < 0.3) await sessions.join(session, this.#originator(session, 'sms'), owner)
    this.#viewers.set(session, new EnvelopeStream())
  }

  /** One thing that a user or an operator does. */
  #act(): void {
    const session = this.#pick(this.#sessions)
    const process = this.#alive()
    const chance = this.#runtime.random()
    if (chance < 0.45) this.#post(process, session)
    else if (chance < 0.6) this.#crash()
    else if (chance < 0.7) void this.#follow(process, session)
    else if (chance < 0.9) void this.#decide(process, session)
    else void this.#cancel(process, session)
  }

  /** Now and then the machine's time is set, forward or back. */
  #setClock(): void {
    if (this.#runtime.random() >= 0.04) return
    const max = 24 * 60 * 60 * 1_000
    this.#runtime.clock.step(this.#upTo(max) * (this.#runtime.random() < 0.5 ? 1 : -1))
  }

  #post(process: Process, session: string): void {
    const text = `${this.#pick(stories)} ${this.#messages++}`
    const from = this.#originator(session, this.#pick(['sse', 'sse', 'webhook', 'sms']))
    const message = { parts: [{ text, metadata: { partType: 'message' } }], from, dedupeKey: text }
    this.#sent.set(text, session)
    const copies = 1 + (this.#runtime.random() < 0.3 ? this.#upTo(2) : 0)
    for (let copy = 0; copy < copies; copy++) {
      const through = copy === 0 ? process : this.#alive()
      through.sessions.post(session, message, from.principal).then(
        () => this.#acknowledged.set(text, from.principal.id),
        () => {},
      )
    }
  }

  async #decide(process: Process, session: string): Promise<void> {
    const { principal } = this.#originator(session)
    const view = await process.sessions.view(session, principal).catch(() => undefined)
    for (const approvalId of view?.turn?.pendingApprovals ?? []) {
      for (const decision of ['granted', 'denied'] as const) {
        if (this.#runtime.random() < 0.3) continue
        const through = this.#alive()
        through.sessions.decide(approvalId, { decision }, principal).then(
          (outcome) => outcome === 'decided' && this.#confirmed.push(approvalId),
          () => {},
        )
      }
    }
  }

  async #cancel(process: Process, session: string): Promise<void> {
    await process.sessions.cancel(session, undefined, this.#originator(session).principal).catch(() => {})
  }

  /** A viewer comes, with what it knows from before, and stays until its process dies or it has seen enough. */
  async #follow(process: Process, session: string): Promise<void> {
    const stream = this.#viewers.get(session)
    if (stream === undefined) return
    let max = this.#end.signal.aborted ? Infinity : this.#upTo(30)
    const signal = AbortSignal.any([this.#end.signal])
    try {
      const frames = process.sessions.follow(session, this.#originator(session), stream.lastCursor, signal)
      for await (const frame of frames) {
        stream.apply(frame)
        if (--max <= 0) return
      }
    } catch {
      // The viewer comes back later.
    }
  }

  #crash(): void {
    if (this.#processes.length > 1) this.#alive().store.die()
    if (this.#processes.filter(({ store }) => !store.isDead).length < 2) this.#startProcess()
  }

  /** No more faults: whatever is open must come to its end by itself, with the approvals it waits for. */
  async #calm(): Promise<string[]> {
    for (const { store } of this.#processes) store.die()
    this.#processes.length = 0
    this.#postgres?.processes.clear()
    this.#postbox.calm()
    const process = this.#startProcess(noFaults)
    const problems = await this.#followElsewhere(process)
    for (let minute = 0; minute < 30; minute++) {
      await this.#runtime.clock.advance(60_000)
      if (await this.#isQuiet(process)) break
      for (const session of this.#sessions) await this.#grantAll(process, session)
    }
    for (const session of this.#sessions) await this.#catchUp(process, session)
    this.#end.abort()
    return problems
  }

  async #isQuiet({ sessions }: Process): Promise<boolean> {
    const views = await Promise.all(
      this.#sessions.map((session) => sessions.view(session, this.#originator(session).principal)),
    )
    return views.every((view) => view.turn === undefined && view.waiting === 0 && view.inFlight.length === 0)
  }

  async #grantAll({ sessions }: Process, session: string): Promise<void> {
    const { principal } = this.#originator(session)
    for (const approvalId of (await sessions.view(session, principal)).turn?.pendingApprovals ?? []) {
      if ((await sessions.decide(approvalId, { decision: 'granted' }, principal)) === 'decided') {
        this.#confirmed.push(approvalId)
      }
    }
  }

  async #catchUp({ sessions }: Process, session: string): Promise<void> {
    const stream = this.#viewers.get(session)
    const last = (await this.#store.read(session, 0)).at(-1)?.seq ?? 0
    if (stream === undefined) return
    const leave = new AbortController()
    const frames = sessions.follow(session, this.#originator(session), stream.lastCursor, leave.signal)
    const done = (async () => {
      for await (const frame of frames) {
        stream.apply(frame)
        if (Number(frame.cursor ?? 0) >= last) break
      }
    })()
    await this.#runtime.clock.advance(1)
    leave.abort()
    await done
  }

  async #problems(): Promise<string[]> {
    const outside: Outside = {
      acknowledged: this.#acknowledged,
      sent: this.#sent,
      confirmed: this.#confirmed,
      viewers: this.#viewers,
      postbox: this.#postbox,
    }
    const problems = await problemsOf(this.#store, this.#sessions, outside, this.#ledger)
    return [...problems, ...(await this.#foldProblems())]
  }

  /** The state that a process has kept up must be the fold of the whole log. */
  async #foldProblems(): Promise<string[]> {
    const [process] = this.#processes
    const fresh = this.#startProcess(noFaults)
    fresh.store.loadSnapshot = async () => undefined
    const problems: string[] = []
    for (const session of this.#sessions) {
      const { principal } = this.#originator(session)
      const kept = await process?.sessions.view(session, principal)
      const folded = await fresh.sessions.view(session, principal)
      if (!isDeepStrictEqual(kept, folded)) problems.push(`the state of ${session} is not the fold of its log`)
    }
    return problems
  }

  #startProcess(faults?: Faults): Process {
    const { clock } = this.#runtime
    const random = () => this.#runtime.random()
    // Slow enough, at times, that a process loses its leases and does not know it.
    const slowestMs = this.#runtime.random() < 0.5 ? 2_000 : 12_000
    const usual = { lostAcknowledgement: 0.04, failedAppend: 0.04, slow: 0.2, slowestMs, lateRenewal: 0.1 }
    const callsLeft = faults === undefined ? 5 + this.#upTo(120) : Infinity
    const shared = this.#postgres === undefined ? this.#store : this.#ownStore(this.#postgres, faults === undefined)
    const store = new FaultyStore(shared, clock, random, faults ?? usual, callsLeft)
    if (shared instanceof PostgresProcess) shared.isGone = () => store.isDead
    const sessions = new SessionTurnManager({
      store,
      runtime: this.#runtime,
      partTypes,
      turnStates,
      actors: simulatedActors(clock, random, this.#ledger),
      entry: 'desk',
      channels: [
        this.#postbox.channel('webhook', true, clock, random),
        this.#postbox.channel('sms', false, clock, random),
      ],
      retryFailed: ({ failures }) => (failures < 3 ? failures * 1_000 : undefined),
    })
    sessions.start()
    const process = { sessions, store }
    this.#processes.push(process)
    return process
  }

  #ownStore(model: PostgresModel, isFaulty: boolean): Store {
    const faults = isFaulty ? { cutBefore: 0.1, cutAfter: 0.1, lostNotification: 0.3 } : calmPostgres
    return new PostgresProcess(model, { ...faults, bug: this.#postgresBug })
  }

  /** A viewer that stays at another process than the host's sees all, though no notification arrives there. */
  async #followElsewhere(host: Process): Promise<string[]> {
    if (this.#postgres === undefined) return []
    const deaf = new PostgresProcess(this.#postgres, { ...calmPostgres, bug: this.#postgresBug })
    this.#postgres.processes.delete(deaf)
    const problems: string[] = []
    for (const session of this.#sessions) {
      const seen: number[] = []
      const leave = new AbortController()
      const following = (async () => {
        for await (const items of deaf.tail(session, 0, leave.signal))
          for (const item of items) if ('seq' in item) seen.push(item.seq)
      })()
      await this.#runtime.clock.advance(1)
      this.#post(host, session)
      await this.#runtime.clock.advance(60_000)
      leave.abort()
      await following
      const inLog = (await this.#store.read(session, 0)).map(({ seq }) => seq)
      if (!isDeepStrictEqual(seen, inLog)) problems.push(`a follower elsewhere saw ${seen.length} of ${inLog.length}`)
    }
    await deaf.close()
    return problems
  }

  #alive(): Process {
    const living = this.#processes.filter(({ store }) => !store.isDead)
    return living.length === 0 ? this.#startProcess() : this.#pick(living)
  }

  #originator(session: string, transport = 'sse'): Originator {
    const principal = this.#owners.get(session)
    if (principal === undefined) throw new Error(`There is no session ${session}.`)
    const deliveryClass = transport === 'sse' ? 'streaming' : 'buffered'
    return { id: `${transport}:${principal.id}`, transport, deliveryClass, principal }
  }

  #pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.#runtime.random() * items.length)]
    if (item === undefined) throw new Error('There is nothing to pick from.')
    return item
  }

  #upTo(max: number): number {
    return Math.floor(this.#runtime.random() * (max + 1))
  }
}
