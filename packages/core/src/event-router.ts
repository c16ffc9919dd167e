import { BeachError } from './errors.ts'
import type { EventDraft } from './events.ts'
import { contentHash, defined } from './json.ts'
import { originsOfMessage } from './origins.ts'
import type { Part } from './part.ts'
import type { SessionAdmission } from './ports/admission.ts'
import type {
  Inbound,
  NewSessionOptions,
  OpenOptions,
  Page,
  PostResult,
  SessionQuery,
  SessionSummary,
  CommittedReply,
} from './ports/sessions.ts'
import type { SessionPeers } from './ports/session-peers.ts'
import type { HandleOutcome } from './ports/slice.ts'
import { atOnce, type Store } from './ports/store.ts'
import { mayAccess, principalKey, type Principal } from './principal.ts'
import type { Runtime } from './runtime.ts'
import { sliceState, type SessionLog, type SessionRecord, type SessionState, type TurnStarter } from './session-log.ts'
import { mayBeReceived, sessionSlice, stateSlice } from './session-slice.ts'
import type { Coordinates } from './state-machines/definition.ts'
import { StateMachineRegistry } from './state-machines/state-machine-registry.ts'
import {
  proposedTransitions,
  type ProposedBy,
  type StateTransitionRefusal,
  type Transitions,
} from './state-machines/proposed-transitions.ts'

/** Admits a message to a session, or refuses it by throwing. */
export type Admit = (state: SessionState, inbound: Inbound, by: Principal) => Admission

/** An earlier message that this one repeats, or its parts as they are kept and what else happens because of it. */
export type Admission =
  | { readonly repeats: Pick<PostResult, 'seq' | 'messageId'> }
  | { readonly parts: readonly Part[]; readonly drafts: readonly EventDraft[]; readonly repeats?: undefined }

// Keys are listed in ascending order; counting down from here puts the newest session first.
const farFuture = 9_999_999_999_999

/** What the router of events works on. */
export interface EventRouterOptions {
  readonly store: Store
  readonly log: SessionLog
  readonly runtime: Runtime
  readonly admit?: Admit | undefined
  /** Starts turns in this process; without it a message waits for the host that claims its session. */
  readonly starter?: TurnStarter | undefined
  readonly stateMachines?: StateMachineRegistry | undefined
  /** Counts the sessions that are opened; they are not counted when this is left out. */
  readonly admission?: Pick<SessionAdmission, 'opening'> | undefined
  /** The scopes of this agent's peers; none when left out. */
  readonly peers?: Pick<SessionPeers, 'scopesOf'> | undefined
  readonly onStateTransitionRejected?: ((refusal: StateTransitionRefusal) => void) | undefined
}

/** The boundary of a session: finds or makes it, checks who is calling, drops duplicates, appends and wakes. */
export class EventRouter {
  readonly #store: Store
  readonly #log: SessionLog
  readonly #runtime: Runtime
  readonly #admit: Admit
  readonly #starter: TurnStarter | undefined
  readonly #stateMachines: StateMachineRegistry
  readonly #peers: EventRouterOptions['peers']
  readonly #admission: EventRouterOptions['admission']
  readonly #onRejected: (refusal: StateTransitionRefusal) => void

  constructor(options: EventRouterOptions) {
    this.#store = options.store
    this.#log = options.log
    this.#runtime = options.runtime
    this.#admit = options.admit ?? ((_, { parts }) => ({ parts, drafts: [] }))
    this.#starter = options.starter
    this.#stateMachines = options.stateMachines ?? new StateMachineRegistry()
    this.#peers = options.peers
    this.#admission = options.admission
    this.#onRejected = options.onStateTransitionRejected ?? (() => {})
  }

  /** A new session of this principal, or with `key` the one that was opened with that key before. */
  async open(options: OpenOptions): Promise<string> {
    const { principal, key, id } = options
    const minted = id ?? this.#runtime.id('sess')
    const session =
      key === undefined ? minted : await this.#store.bind(`ext:${encodeURIComponent(principal.tenant)}:${key}`, minted)
    // A key alone proves nothing: the process that bound it may have died before it opened the session.
    const isListed = (key !== undefined || id !== undefined) && (await this.#exists(session))
    if (!isListed) this.#admission?.opening(principal)()
    const listed = isListed ? undefined : this.#list(session, principal)
    const decide = (state: SessionState): EventDraft[] => {
      const { tenant, owner } = sliceState(sessionSlice, state)
      if (tenant === undefined) return [openedDraft(principal, options)]
      if (owner === undefined || !mayAccess(owner, principal)) throw notFound()
      return []
    }
    const opened = this.#log.commit(session, decide, { isNew: key === undefined && id === undefined })
    await Promise.all([listed, opened])
    return session
  }

  /**
   * Makes a session known to `list`. It is queued before the session is opened: without its session it is harmless, while
   * a session without it could not be listed. Queued together, both are written together.
   */
  #list(session: string, principal: Principal): Promise<string> {
    const time = farFuture - this.#runtime.clock.now()
    return this.#store.bind(`${prefix(principal)}${time}:${session}`, session)
  }

  /** The same, for a caller that may never await it. */
  #listed(session: string, principal: Principal): Promise<string> {
    const listed = this.#list(session, principal)
    listed.catch(() => {})
    return listed
  }

  async #exists(session: string): Promise<boolean> {
    const { state } = await this.#log.load(session)
    return sliceState(sessionSlice, state).tenant !== undefined
  }

  /** Appends the message and wakes the session, unless it was received before. */
  async receive(session: string, inbound: Inbound, by: Principal, opening?: NewSessionOptions): Promise<PostResult> {
    const hash = inbound.contentHash ?? contentHash(inbound.parts)
    const origins = originsOfMessage(inbound.from, inbound.parts)
    let listed: Promise<string> | undefined
    const minted = this.#runtime.id('msg')
    const { dedupeKey } = inbound
    const open = opening && this.#admission?.opening(by)
    let earlier: PostResult | undefined
    let candidates: readonly number[] = []
    /** Messages of other keys, whose hash happens to be the same. */
    const others = new Set<number>()
    let refused: Transitions['refused'] = []
    const decide = (state: SessionState): EventDraft[] => {
      const opens = opening !== undefined && sliceState(sessionSlice, state).tenant === undefined
      const known = opens ? sliceState(sessionSlice, state) : access(state, by)
      candidates = dedupeKey === undefined ? [] : mayBeReceived(known, dedupeKey).filter((seq) => !others.has(seq))
      if (candidates.length > 0) return []
      const admitted = this.#admit(state, inbound, by)
      if (admitted.repeats !== undefined) {
        earlier = { ...admitted.repeats, duplicate: true }
        return []
      }
      if (opens) open?.()
      if (opens) listed ??= this.#listed(session, by)
      // The proposals of a sender need a scope, are checked like those of an actor, and are no part of the conversation.
      const proposed = inbound.parts.flatMap((part, index) =>
        part.metadata.partType === 'setState' ? [{ index, part }] : [],
      )
      const routed = proposed.length > 0 ? this.transitions(state, admitted.parts, { by }) : undefined
      refused = routed?.refused ?? []
      return [
        ...(opens ? [openedDraft(by, opening)] : []),
        defined({
          type: 'messageReceived',
          messageId: minted,
          originatorId: inbound.from.id,
          contentHash: hash,
          dedupeKey,
          origins: origins.length > 0 ? origins : undefined,
          trace: inbound.trace,
          payload: defined({
            from: inbound.from,
            parts: admitted.parts.filter(({ metadata }) => metadata.partType !== 'setState'),
            proposed: proposed.length > 0 ? proposed : undefined,
          }),
        }),
        ...(routed?.drafts ?? []),
        ...admitted.drafts,
        ...this.#log.decide(state, inbound),
      ]
    }
    // The session is due: its turn starts here in the same write when that is possible.
    const options = { wakeAt: atOnce, starter: this.#starter }
    let committed = await this.#log.commit(session, decide, { ...options, isNew: opening?.isNew })
    while (committed.events.length === 0 && candidates.length > 0) {
      const before = await this.#received(session, candidates, inbound)
      if (before !== undefined) return before
      for (const seq of candidates) others.add(seq)
      committed = await this.#log.commit(session, decide, options)
    }
    await listed
    if (committed.events.length === 0 && earlier !== undefined) return earlier
    if (refused.length > 0) this.rejected(session, undefined, refused)
    const received = committed.events.find(({ event }) => event.type === 'messageReceived')
    return { seq: received?.seq ?? committed.head, messageId: minted, duplicate: false }
  }

  /** The message that was received under the same key before, if it is one of these. */
  async #received(session: string, seqs: readonly number[], inbound: Inbound): Promise<PostResult | undefined> {
    for (const seq of seqs) {
      const [found] = await this.#log.read(session, seq - 1, 1)
      if (found?.seq !== seq || found.event.type !== 'messageReceived') continue
      const { dedupeKey, messageId, contentHash: hash } = found.event
      if (dedupeKey !== inbound.dedupeKey) continue
      if (hash === (inbound.contentHash ?? contentHash(inbound.parts))) return { seq, messageId, duplicate: true }
      throw new BeachError(
        'IDEMPOTENCY_MISMATCH',
        'This idempotency key was used before with another content. Use a new key for a new message.',
      )
    }
    return undefined
  }

  /** Hands input to a slice; nothing is written when the slice refuses it, or has nothing to write. */
  async handle(
    session: string,
    ns: string,
    said: unknown,
    by: Principal,
    opening?: NewSessionOptions,
  ): Promise<CommittedReply> {
    const now = this.#runtime.clock.now()
    const context = { session, by, now, id: (kind: string) => this.#runtime.id(kind) }
    const open = opening && this.#admission?.opening(by)
    let listed: Promise<string> | undefined
    let outcome: HandleOutcome = { drafts: [], reply: {} }
    const decide = (state: SessionState): EventDraft[] => {
      const opens = opening !== undefined && sliceState(sessionSlice, state).tenant === undefined
      if (!opens) access(state, by)
      outcome = this.#log.handle(state, ns, said, context)
      if (!opens || outcome.drafts.length === 0) return [...outcome.drafts]
      open?.()
      listed ??= this.#listed(session, by)
      return [openedDraft(by, opening), ...outcome.drafts]
    }
    const { head } = await this.#log.commit(session, decide, {
      wakeAt: () => (outcome.wakes === true ? atOnce : undefined),
    })
    await listed
    return { ...outcome.reply, seq: head }
  }

  /** Applies or refuses the setState parts among an actor's parts, or among those of a message. */
  transitions(state: SessionState, parts: readonly Part[], from: ProposedBy): Transitions {
    const policy = { stateMachines: this.#stateMachines, peers: this.#peers }
    return proposedTransitions(this.coordinates(state), parts, from, policy)
  }

  /** Tells the application of setState parts that were refused, once that is in the log. */
  rejected(session: string, turnId: string | undefined, refused: Transitions['refused']): void {
    for (const refusal of refused) {
      try {
        this.#onRejected({ session, turnId, ...refusal })
      } catch (error) {
        this.#runtime.logger.log('error', 'onStateTransitionRejected failed', { session, error })
      }
    }
  }

  /** Where the application's state machines stand. */
  coordinates(state: SessionState): Coordinates {
    return { ...this.#stateMachines.initial(), ...sliceState(stateSlice, state) }
  }

  /** The session, folded at least up to a seq, if it exists and `by` may see it; otherwise NOT_FOUND. */
  async find(session: string, by: Principal, atLeast?: number): Promise<SessionRecord & { readonly owner: Principal }> {
    const record = await this.#log.load(session, atLeast)
    const { owner } = access(record.state, by)
    return { ...record, owner }
  }

  /** The sessions of this principal, newest first; for an operator, all of the tenant. */
  async list(query: SessionQuery, by: Principal): Promise<Page<SessionSummary>> {
    const limit = Math.min(Math.max(query.limit ?? 50, 1), 200)
    const under = by.kind === 'operator' ? `session:${encodeURIComponent(by.tenant)}:` : prefix(by)
    if (query.after !== undefined && !query.after.startsWith(under)) {
      throw new BeachError('BAD_REQUEST', 'That page does not exist. Use the `next` value of the page before.')
    }
    const rows = await this.#store.list(under, query.after, limit + 1)
    // A process that died while it opened a session may have listed it, and so has the process that repeated the
    // opening.
    const unique = new Map(rows.slice(0, limit).map(({ key, value }) => [value, key]))
    const items = [...unique].map(([sessionId, key]) => ({
      sessionId,
      openedAt: farFuture - Number(key.split(':').at(-2)),
    }))
    const last = rows[limit - 1]
    return rows.length > limit && last !== undefined ? { items, next: last.key } : { items }
  }
}

function openedDraft(owner: Principal, { approvers }: NewSessionOptions): EventDraft {
  return { type: 'sessionOpened', tenant: owner.tenant, payload: defined({ owner, approvers }) }
}

function access(state: SessionState, by: Principal) {
  const known = sliceState(sessionSlice, state)
  const { owner } = known
  if (owner === undefined || !mayAccess(owner, by)) throw notFound()
  return { ...known, owner }
}

function notFound(): BeachError {
  return new BeachError('NOT_FOUND', 'There is no such session, or it is not yours.')
}

function prefix(principal: Principal): string {
  return `session:${encodeURIComponent(principal.tenant)}:${principalKey(principal)}:`
}
