import {
  BeachError,
  type ArtifactStore,
  type Channel,
  type Principal,
  type Runtime,
  type Store,
} from '@cool-ai/beach-core'
import type { Page } from '@cool-ai/beach-core/ports'
import { addressesOf, type Address } from '../identities/address.ts'
import { Identities, type SendCode } from '../identities/identities.ts'
import type { IdentityStore } from '../identities/identity-store.ts'
import type { Budget } from '../upkeep/budget.ts'
import type { Collected, CollectOptions, KeepArtifact } from '../upkeep/collect-artifacts.ts'
import type { DropOptions } from '../upkeep/drop-session.ts'
import type { ErasableSessions, Erasure, ErasureRequest, ErasureResult } from '../upkeep/erasure.ts'
import type { PersonRecord } from '../upkeep/person-data.ts'
import type { RetentionRule } from '../upkeep/retention.ts'
import { checkRules } from '../upkeep/retention-times.ts'
import { MissiveFollower, type FollowerOptions } from './follower.ts'
import { MissiveReader } from './missive-reader.ts'
import type { MissiveStore } from './missive-store.ts'
import type { Missive, MissiveQuery } from './missive.ts'

/** How messages are kept. */
export interface MissivesOptions {
  readonly store: MissiveStore
  readonly identities: IdentityStore
  /** How long; for ever when left out. Applied every day. */
  readonly retention?: readonly RetentionRule[] | undefined
  /**
   * Deletes, every day, artifacts that no message names after a grace period; when this is left out only those that are
   * of a session, and after 30 days.
   */
  readonly collectArtifacts?: { readonly graceMs?: number | undefined } | undefined
  /** Artifacts of the application itself, which are neither collected nor erased with a session. */
  readonly keepArtifact?: KeepArtifact | undefined
  /** Sends codes to addresses, so that people can join theirs; without it only operators join them. */
  readonly sendCode?: SendCode | undefined
  /** By which an originator is known; its principal and its address when left out. */
  readonly addressesOf?: FollowerOptions['addressesOf'] | undefined
}

interface MissivesContext {
  /** The sessions' logs. */
  readonly log: Store
  readonly runtime: Runtime
  readonly artifacts?: ArtifactStore | undefined
  readonly channels?: readonly Channel[] | undefined
  /** For programs that erase while the agent runs: the agent does it once more, with its own channels and stores. */
  readonly leavesErasureRecord?: boolean | undefined
}

const lostArtifactsMs = 30 * 24 * 60 * 60 * 1_000

/** Every message in and out, and its correspondent: looked up, kept for a time, erased. */
export class Missives {
  readonly identities: Identities
  /** To be called when a session's log may have changed, so that its messages are kept. */
  readonly noticed: MissiveFollower['noticed']
  readonly #options: MissivesOptions & MissivesContext
  readonly #reader: MissiveReader
  readonly #follower: MissiveFollower
  #erasure: Promise<Erasure> | undefined
  #sessions: ErasableSessions | undefined
  /** Where the search for unreferenced artifacts goes on. */
  #collectedTo: string | undefined

  constructor(options: MissivesOptions & MissivesContext) {
    const { store, log, runtime, identities, sendCode } = options
    checkRules(options.retention ?? [])
    this.#options = options
    this.#reader = new MissiveReader({ store, identities })
    this.identities = new Identities({ store: identities, runtime, sendCode })
    const known = options.addressesOf ?? addressesOf
    this.#follower = new MissiveFollower({ store: log, missives: store, runtime, addressesOf: known })
    this.noticed = this.#follower.noticed
  }

  /** Begins to follow the sessions, with what was missed. */
  start(sessions: ErasableSessions): void {
    this.#sessions = sessions
    this.#follower.start(sessions)
  }

  /** Ends what is going on, and closes the stores. */
  async close(): Promise<void> {
    await this.#follower.stop()
    await this.#options.store.close()
    await this.#options.identities.close()
  }

  /** Missives as `by` may see them, newest first. The last moments may be missing: see `caughtUp`. */
  find(query: MissiveQuery, by: Principal): Promise<Page<Missive>> {
    return this.#reader.find(query, by)
  }

  get(missiveId: string, by: Principal): Promise<Missive | undefined> {
    return this.#reader.get(missiveId, by)
  }

  /** Resolves when all messages that this process has taken or sent until now are stored. */
  caughtUp(): Promise<void> {
    return this.#follower.caughtUp()
  }

  /** Rebuilds all missives from the logs. For operators, of any tenant. */
  async rebuild(by: Principal): Promise<void> {
    operatorsOnly(by)
    await this.#follower.rebuild()
  }

  /**
   * Erases the content of a session, or by and to a person, everywhere and for good. For operators; a session also for
   * its owner, a person for themselves. It may be called again when it fails, and goes on by itself after a restart.
   */
  async erase(request: ErasureRequest, by: Principal): Promise<ErasureResult> {
    return (await this.#openErasure()).erase(request, by)
  }

  /**
   * Everything that is kept of a person, named by one of their addresses, record by record. For operators, and for that
   * person themselves.
   */
  async *personData(person: Address, by: Principal): AsyncGenerator<PersonRecord> {
    const { log, store, artifacts } = this.#options
    const [sessions, follower, identities] = [this.#started(), this.#follower, this.identities]
    const { personData } = await import('../upkeep/person-data.ts')
    yield* personData({ log, store, artifacts, sessions, follower, identities }, person, by)
  }

  /** Deletes artifacts that no message names; returns how many. For operators. */
  async collectArtifacts(by: Principal): Promise<number> {
    operatorsOnly(by)
    return (await this.#collect(this.#options.collectArtifacts ?? {})).count
  }

  /** Applies the retention rules now; returns how many sessions have lost something. For operators. */
  async applyRetention(by: Principal): Promise<number> {
    operatorsOnly(by)
    return this.#retain()
  }

  /** Finishes erasures that earlier processes have begun. */
  async resume(): Promise<void> {
    await (await this.#openErasure()).resume()
  }

  /** The daily work, as far as the budget goes; true when all of it is done. */
  async upkeep(budget: Budget, { keepsLost }: { readonly keepsLost: boolean }): Promise<boolean> {
    await this.#retain(budget)
    if (budget.isSpent) return false
    const collected = this.#options.collectArtifacts
    if (collected === undefined && keepsLost) return true
    const lost = { graceMs: lostArtifactsMs, ofSessions: true }
    this.#collectedTo = (await this.#collect({ ...(collected ?? lost), after: this.#collectedTo, budget })).next
    return this.#collectedTo === undefined
  }

  /** What goes with a session that is dropped. */
  dropping(): Pick<DropOptions, 'missives' | 'keepArtifact'> {
    const { store, keepArtifact } = this.#options
    return { missives: { store, follower: this.#follower }, keepArtifact }
  }

  async #collect(how: Pick<CollectOptions, 'graceMs' | 'ofSessions' | 'after' | 'budget'>): Promise<Collected> {
    const { artifacts, store, runtime, keepArtifact } = this.#options
    this.#started()
    if (artifacts === undefined) return { count: 0 }
    const { collectArtifacts } = await import('../upkeep/collect-artifacts.ts')
    return collectArtifacts({ artifacts, store, runtime, follower: this.#follower, keepArtifact, ...how })
  }

  async #retain(budget?: Budget): Promise<number> {
    const sessions = this.#started()
    const { store, runtime, retention: rules = [] } = this.#options
    if (rules.length === 0) return 0
    const erasure = await this.#openErasure()
    await this.#follower.caughtUp()
    const { applyRetention } = await import('../upkeep/retention.ts')
    return applyRetention({ rules, store, sessions, erasure, runtime, budget })
  }

  /** Loaded when it is first needed. */
  async #openErasure(): Promise<Erasure> {
    const sessions = this.#started()
    this.#erasure ??= import('../upkeep/erasure.ts').then(({ Erasure }) => {
      const { log, store, runtime, artifacts, keepArtifact, channels, leavesErasureRecord } = this.#options
      const { addressesOf: known = addressesOf } = this.#options
      const { identities } = this
      const about = { artifacts, keepArtifact, channels, identities, addressesOf: known, follower: this.#follower }
      return new Erasure({ log, store, runtime, leavesRecord: leavesErasureRecord, ...about }, sessions)
    })
    return this.#erasure
  }

  #started(): ErasableSessions {
    if (this.#sessions !== undefined) return this.#sessions
    throw new BeachError('INVALID_STATE', 'These missives do not follow any sessions yet.')
  }
}

function operatorsOnly(by: Principal): void {
  if (by.kind !== 'operator') throw new BeachError('FORBIDDEN', 'Only operators can do this.')
}
