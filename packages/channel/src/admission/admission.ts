import { AsyncLocalStorage } from 'node:async_hooks'
import type { Duplex } from 'node:stream'
import type { ArtifactStore, Authenticator, Clock, Principal } from '@cool-ai/beach-core'
import { principalKey, type SessionAdmission, type TurnUsage } from '@cool-ai/beach-core/ports'
import { isProbe } from '../http/probes.ts'
import { remoteNetwork } from '../http/request-source.ts'
import type { Rights } from '../rights/rights.ts'
import { Allowances } from './allowances.ts'
import { countedArtifacts } from './counted-artifacts.ts'
import {
  checkCallerLimits,
  limitsOfTenant,
  type CallerLimits,
  type Limit,
  type Scope,
  type TenantLimits,
} from './limits.ts'
import { StreamCount } from './stream-count.ts'
import { tooMany } from './too-many.ts'
import type { UseSharing } from './use-sharing.ts'

/** What an admission measures time with, and the limits it keeps. */
export interface AdmissionOptions {
  readonly clock: Clock
  readonly limits?: CallerLimits | undefined
  /** With one, the limits are of all processes together. */
  readonly sharing?: UseSharing | undefined
  /** Knows callers by any credential: callers it knows are let in where guests of their network have had too much. */
  readonly authenticate?: Authenticator | undefined
  /** Who may use which channel; everyone when left out. */
  readonly rights?: Pick<Rights, 'requireSender'> | undefined
}

/** Where something comes from: the network of a request or a connection, and those next to it. */
interface Source {
  readonly network: string
  readonly subnet: string
  /** True until the caller turns out to be known: known callers do not count with the guests of their network. */
  isCounted: boolean
}

/** Whose use something counts as, for each scope that holds for it. */
type Counters = Readonly<Partial<Record<Scope, string | undefined>>>

/**
 * The one step that every way in passes: who may do what, and how much of it. Requests and connections enter by `enter`;
 * what they, mail, phones, hooks and jobs do in sessions is asked for by the sessions themselves, so a channel passes it
 * by being a channel.
 */
export class Admission implements SessionAdmission {
  readonly streams: StreamCount
  readonly limitsUsage: boolean
  readonly #allowances: Allowances
  readonly #authenticate: Authenticator | undefined
  readonly #rights: AdmissionOptions['rights']
  readonly #sources = new AsyncLocalStorage<Source>()
  readonly #limits: TenantLimits
  /** Of the tenants that have limits of their own. */
  readonly #ofTenants: ReadonlyMap<string, TenantLimits>

  constructor({ limits = {}, authenticate, rights, ...counting }: AdmissionOptions) {
    checkCallerLimits(limits)
    const { principal, network, tenants = {} } = limits
    this.#allowances = new Allowances(counting)
    this.#authenticate = authenticate
    this.#rights = rights
    this.#limits = limitsOfTenant(limits)
    this.#ofTenants = new Map(Object.keys(tenants).map((tenant) => [tenant, limitsOfTenant(limits, tenant)]))
    this.limitsUsage = [this.#limits, ...this.#ofTenants.values()].some(({ usage }) => usage.length > 0)
    this.streams = new StreamCount(principal?.streams, network?.streams, (tenant) => this.#of(tenant).streams)
  }

  /** Lets a request in, and answers it. What it leads to is known to come from its network. */
  enter<Answer>(request: Request, path: string, answer: () => Answer | Promise<Answer>): Answer | Promise<Answer> {
    const network = remoteNetwork(request) ?? ''
    // Of an IPv4 address its /24, of an IPv6 network its /48.
    const source: Source = { network, subnet: network.replace(/[.:][^.:]*$/, ''), isCounted: true }
    try {
      this.#take(this.#limits.of.requests, source)
    } catch (error) {
      source.isCounted = false
      if (isProbe(path)) return this.#sources.run(source, answer)
      return this.#ifKnown(request, error, () => this.#sources.run(source, answer))
    }
    return this.#sources.run(source, answer)
  }

  /** The same for a connection that is upgraded: all that comes by it is known to come from its network. */
  enterSocket<Answer>(request: Request, path: string, socket: Duplex, answer: () => Answer): Answer | Promise<Answer> {
    return this.enter(request, path, () => {
      const inside = AsyncLocalStorage.snapshot()
      const emit = socket.emit.bind(socket)
      socket.emit = (...event: Parameters<typeof emit>) => inside(emit, ...event)
      return answer()
    })
  }

  /** To be called with whom a request is from, once that is known. */
  identified({ kind }: Principal): void {
    const source = this.#sources.getStore()
    if (source === undefined || !source.isCounted || kind === 'anonymous') return
    source.isCounted = false
    this.#take(this.#limits.of.requests, source, -1)
  }

  /** One more conversation. A caller without a principal is a guest. */
  begin(principal: Principal | undefined, source: Pick<Source, 'network'> = this.#sources.getStore() ?? nowhere): void {
    const { sessions } = this.#of(principal?.tenant).of
    const { tenant, principal: name, ...ofGuest } = countersOf(principal, source)
    // Guests can be as many principals as they like: each is good for as many conversations.
    const isGuest = principal === undefined || principal.kind === 'anonymous'
    this.#take(sessions, isGuest ? { tenant, ...ofGuest } : { tenant, principal: name })
  }

  opening(by: Principal): () => void {
    const source = this.#sources.getStore() ?? nowhere
    let isCounted = false
    return () => {
      if (!isCounted) this.begin(by, source)
      isCounted = true
    }
  }

  message(by: Principal, bytes: () => number, transport?: string): Promise<void> | undefined {
    if (transport !== undefined) this.#rights?.requireSender(transport, by)
    const { message, hasDays } = this.#ofTenants.get(by.tenant) ?? this.#limits
    const source = this.#sources.getStore()
    const isGuest = by.kind === 'anonymous'
    const counters: Counters = {
      tenant: by.tenant,
      principal: `${by.tenant}~${principalKey(by)}`,
      // Mail and jobs have no network; callers who are known are not counted with others of theirs.
      network: isGuest ? source?.network : undefined,
      subnet: isGuest ? source?.subnet : undefined,
    }
    const unknown = hasDays ? this.#unknown(message, counters) : []
    if (unknown.length > 0) return Promise.all(unknown).then(() => this.#take(message, counters, 1, bytes))
    this.#take(message, counters, 1, bytes)
    return undefined
  }

  used(owner: Principal, usage: TurnUsage): void {
    const counters = countersOf(owner)
    for (const { scope, what, ...limit } of this.#of(owner.tenant).usage) {
      const count = usage[what as keyof TurnUsage] ?? 0
      const counter = counters[scope]
      if (count > 0 && counter !== undefined) this.#allowances.take(limit.name + counter, count, limit, true)
    }
  }

  spent(owner: Principal): string | undefined {
    try {
      this.#take(this.#of(owner.tenant).usage, countersOf(owner))
      return undefined
    } catch (error) {
      return error instanceof Error ? error.message : undefined
    }
  }

  /** The store of files, where those of a tenant count with the bytes that it may have kept. */
  counted(artifacts: ArtifactStore): ArtifactStore {
    return countedArtifacts(artifacts, (tenant, bytes) => {
      const { bytes: limits } = this.#of(tenant).of
      if (bytes === 0) return this.#take(limits, { tenant }, 0)
      for (const limit of limits) {
        if (limit.scope === 'tenant') this.#allowances.take(limit.name + tenant, bytes, limit, true)
      }
    })
  }

  /** Tells the other processes, and the next one, what was taken here. */
  close(): Promise<void> {
    return this.#allowances.close()
  }

  #of(tenant = ''): TenantLimits {
    return this.#ofTenants.get(tenant) ?? this.#limits
  }

  /** What has to be learnt before it can be decided. */
  #unknown(limits: readonly Limit[], counters: Counters): Promise<void>[] {
    return limits.flatMap((limit) => {
      const counter = counters[limit.scope]
      return (counter === undefined ? undefined : this.#allowances.learn(limit.name + counter, limit)) ?? []
    })
  }

  /** Takes one of each limit; nothing where one of them is used up: then says so, by throwing. */
  #take(limits: readonly Limit[], counters: Counters, count = 1, bytes: () => number = () => 0): void {
    for (const [index, limit] of limits.entries()) {
      const counter = counters[limit.scope]
      if (counter === undefined) continue
      const wanted = limit.isUsage ? 0 : limit.what === 'bytes' ? bytes() : count
      const wait = this.#allowances.take(limit.name + counter, wanted, limit)
      if (wait === 0) continue
      if (count > 0) this.#take(limits.slice(0, index), counters, -count, () => -bytes())
      throw tooMany(limit, wait)
    }
  }

  async #ifKnown<Answer>(request: Request, refused: unknown, answer: () => Answer | Promise<Answer>): Promise<Answer> {
    const known = await this.#authenticate?.(request).catch(() => undefined)
    if (known === undefined || known.principal.kind === 'anonymous') throw refused
    return answer()
  }
}

const nowhere = { network: '' }

function countersOf(
  by: Principal | undefined,
  source?: { readonly network: string; readonly subnet?: string },
): Counters {
  return {
    tenant: by?.tenant,
    principal: by && `${by.tenant}~${principalKey(by)}`,
    network: source?.network,
    subnet: source && (source.subnet ?? source.network.replace(/[.:][^.:]*$/, '')),
  }
}
