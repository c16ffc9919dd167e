import { setTimeout as wait } from 'node:timers/promises'
import type { PostgresServer } from '../support/postgres-server.ts'
import { ServerProcess } from '../support/server-process.ts'
import type { Fleet } from './fleet.ts'
import { machineTime } from './machine-time.ts'
import { leaseMs } from './script.ts'

/** `kill`: `kill -9` and a new start. `freeze`: SIGSTOP for longer than the lease. `restart`: of the database server. */
export type FaultKind = 'kill' | 'freeze' | 'restart'

/** A fault that has happened; `stall`: the machine had no time for a process, so that leases ran out. */
export interface Fault {
  readonly kind: FaultKind | 'stall'
  /** The process that it happened to; all of them when left out. */
  readonly process?: number | undefined
  readonly from: number
  until: number
}

interface FaultsOptions {
  readonly fleet: Fleet
  /** The server of the store, where there is one. */
  readonly postgres: PostgresServer | undefined
  readonly random: () => number
}

const endings = ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const

/** Faults one after the other, all chosen by the seed: when, which and to which process. */
export class Faults {
  readonly happened: Fault[] = []
  readonly #options: FaultsOptions
  readonly #busy = new Map<ServerProcess | PostgresServer, Promise<void>>()

  constructor(options: FaultsOptions) {
    this.#options = options
  }

  /** Goes on until the time is over; resolves when all that was ended runs again. */
  async run(ms: number): Promise<void> {
    const end = performance.now() + ms
    const pauses = this.#options.fleet.servers.length === 1 ? [1_500, 2_000] : [300, 900]
    for (let count = 0; ; count++) {
      const [least = 0, more = 0] = pauses
      await wait(least + this.#random() * more)
      if (performance.now() > end) break
      this.#begin(this.#kind(count))
    }
    await Promise.all(this.#busy.values())
  }

  #random(): number {
    return this.#options.random()
  }

  /** Each kind once, so that a short run has them all; then by chance. */
  #kind(count: number): FaultKind {
    const first = (['kill', 'restart', 'freeze'] as const)[count]
    const chance = this.#random()
    const kind = first ?? (chance < 0.5 ? 'kill' : chance < 0.85 ? 'freeze' : 'restart')
    return kind === 'restart' && this.#options.postgres === undefined ? 'kill' : kind
  }

  #begin(kind: FaultKind): void {
    const choice = this.#random()
    const more = this.#random()
    const { fleet, postgres } = this.#options
    if (kind === 'restart' && postgres !== undefined) {
      const ending = endings[Math.floor(more * endings.length)]
      if (!this.#busy.has(postgres)) this.#happen(kind, postgres, () => postgres.restart(ending))
      return
    }
    // At least one process is left alone, unless there is only one.
    const free = fleet.servers.filter((server) => !this.#busy.has(server))
    const victim = free[Math.floor(choice * free.length)]
    if (victim === undefined || (free.length === 1 && fleet.servers.length > 1)) return
    if (kind === 'kill') return this.#happen(kind, victim, () => fleet.crash(victim))
    this.#happen(kind, victim, () => freeze(victim, leaseMs * (1.2 + more)))
  }

  #happen(kind: FaultKind, victim: ServerProcess | PostgresServer, run: () => Promise<void>): void {
    const process = victim instanceof ServerProcess ? victim.pid : undefined
    const fault: Fault = { kind, process, from: machineTime(), until: Number.POSITIVE_INFINITY }
    this.happened.push(fault)
    const running = run().finally(() => {
      fault.until = machineTime()
      this.#busy.delete(victim)
    })
    this.#busy.set(victim, running)
  }
}

async function freeze({ pid }: ServerProcess, ms: number): Promise<void> {
  process.kill(pid, 'SIGSTOP')
  try {
    await wait(ms)
  } finally {
    process.kill(pid, 'SIGCONT')
  }
}
