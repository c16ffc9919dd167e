import { elapsed, sleep, yieldToEventLoop } from './clock.ts'
import { keepAlive } from './keep-alive.ts'
import { BeachError, isStoreFailure } from './errors.ts'
import { eventVersion, type EventDraft, type LoggedEvent, type SessionEvent } from './events.ts'
import { contentHash, jsonCopy } from './json.ts'
import { LruMap } from './maps.ts'
import type { Inbound, SliceInputRequest } from './ports/sessions.ts'
import type { Effect, EffectRun, HandleContext, HandleOutcome, Slice } from './ports/slice.ts'
import { Conflict, type Lease, type Store, type StoredEvent } from './ports/store.ts'
import { RecentEvents } from './recent-events.ts'
import type { Runtime } from './runtime.ts'
import { sessionSlice } from './session-slice.ts'

/** The states of all slices, by namespace. */
export type SessionState = Readonly<Record<string, unknown>>

/** A session as it is folded so far. It moves on as events are read or committed; read it again after every await. */
export interface SessionRecord {
  readonly session: string
  readonly head: number
  readonly state: SessionState
}

/** Looks at the state and returns the events to append; an empty list appends nothing. It may run more than once. */
export type Decide = (state: SessionState, head: number) => EventDraft[]

/** How a commit appends. */
export interface CommitOptions {
  /**
   * The host's epoch: a commit by a host that another has replaced fails with LEASE_LOST. A function is asked when the
   * commit has its turn: the host itself may have begun a new epoch while it waited.
   */
  readonly epoch?: number | (() => number) | undefined
  /** Wakes the session at this time, in the same write; a function is asked after the decision. */
  readonly wakeAt?: number | (() => number | undefined) | undefined
  /** Starts the turn that the session would be woken for in the same write, if no host has the session. */
  readonly starter?: TurnStarter | undefined
  /** True when the session is most likely unwritten yet: nothing is read first, and a conflict says otherwise. */
  readonly isNew?: boolean | undefined
}

/** Says how a turn starts on this host when these drafts are committed to this state; undefined when none does. */
export type TurnStarter = (state: SessionState, drafts: readonly EventDraft[]) => StartingTurn | undefined

/** A turn that has its place on a host: the commit of its message starts it and claims the session's lease. */
export interface StartingTurn {
  readonly drafts: readonly EventDraft[]
  readonly leaseMs: number
  /** The turn is in the log, and the lease is this host's. */
  run(committed: Committed, lease: Lease): void
  /** To be called after the write, also when it failed: releases the place unless the turn runs there. */
  release(): void
}

/** What a commit wrote; `events` is empty when nothing was decided. */
export interface Committed {
  readonly head: number
  readonly events: readonly LoggedEvent[]
  readonly state: SessionState
}

interface Entry {
  session: string
  head: number
  state: SessionState
  sinceSnapshot: number
  loaded: boolean
  last: Promise<unknown>
  /** How many wait for their commit or are at it. */
  users: number
  /** Why the store failed the last of them; undefined when it did not. */
  failure?: BeachError | undefined
}

export interface SessionLogOptions {
  readonly store: Store
  readonly runtime: Runtime
  readonly slices: readonly AnySlice[]
  readonly maxCached?: number | undefined
  /**
   * Called when a session may have grown by these events: also after a failed write, since it may have succeeded
   * nevertheless.
   */
  readonly onChange?: ((session: string, events: readonly EventDraft[]) => void) | undefined
}

// oxlint-disable-next-line typescript/no-explicit-any -- the state type belongs to each slice; `sliceState` gives it back.
type AnySlice = Slice<any>

const pageSize = 500
const unknownOutcomeRetries = 5
const maxConflicts = 1_000
/** Callers who have waited for so long behind others, the last of whom the store has failed, are refused too. */
const maxWaitMs = 5_000
const eventsPerSnapshot = 200

/**
 * A session's log, folded. `commit` is the only function that appends to a session: it decides on the folded state,
 * appends by compare-and-set, and on a conflict reads what is new and decides again. A channel that remembers people
 * keeps a log of its own for each of them (`PersonLog`), and so does memory (`MemoryLog`); those need no leases, epochs or slices.
 */
export class SessionLog {
  /** The namespaces of slices that something can be said to. */
  readonly handledNamespaces: ReadonlySet<string>
  readonly #store: Store
  readonly #runtime: Runtime
  readonly #slices: readonly AnySlice[]
  /** The slices that fold events of a type, and those that fold every event. */
  readonly #folding: { readonly by: ReadonlyMap<string, readonly AnySlice[]>; readonly all: readonly AnySlice[] }
  readonly #entries: LruMap<Entry>
  readonly #recent = new RecentEvents()
  readonly #foldVersion: number
  readonly #initial: SessionState
  readonly #onChange: SessionLogOptions['onChange']

  constructor(options: SessionLogOptions) {
    this.#store = options.store
    this.#onChange = options.onChange
    this.#runtime = options.runtime
    this.#slices = [sessionSlice, ...options.slices]
    this.#folding = foldingSlices(this.#slices)
    // Not those in use: there would be two states of one session.
    this.#entries = new LruMap(options.maxCached ?? 1_000, ({ users }) => users > 0)
    const versions = this.#slices.map((slice) => `${slice.ns}@${slice.version}`)
    if (new Set(this.#slices.map((slice) => slice.ns)).size !== this.#slices.length) {
      throw new BeachError('INVALID_CONFIGURATION', `Two slices share a namespace: ${versions.join(', ')}.`)
    }
    this.handledNamespaces = new Set(this.#slices.flatMap((slice) => (slice.handle === undefined ? [] : slice.ns)))
    this.#foldVersion = Number.parseInt(contentHash(versions).slice(0, 6), 36)
    this.#initial = Object.fromEntries(this.#slices.map((slice) => [slice.ns, slice.initial as unknown]))
  }

  /**
   * The session as the store has it now or, with `atLeast`, as it is known here if that reaches that far. An unknown
   * session has head 0 and the initial state.
   */
  load(session: string, atLeast = Infinity): Promise<SessionRecord> {
    const known = this.#entries.get(session)
    // Also during a commit: what is new is folded at once.
    const isKnown = known !== undefined && known.loaded && known.head >= atLeast
    if (isKnown) return Promise.resolve({ session, head: known.head, state: known.state })
    return this.#serially(session, async (entry) => {
      if (!entry.loaded) await this.#load(entry)
      else if (entry.head < atLeast) await this.#refresh(entry)
      return { session, head: entry.head, state: entry.state }
    })
  }

  /** Appends what `decide` says, exactly once, or throws and appends nothing. */
  commit(session: string, decide: Decide, options: CommitOptions = {}): Promise<Committed> {
    const run = async (entry: Entry): Promise<Committed> => {
      if (options.isNew === true && !entry.loaded) entry.loaded = true
      let fresh = !entry.loaded
      if (fresh) await this.#load(entry)
      for (let conflicts = 0; conflicts < maxConflicts; conflicts++) {
        const epoch = typeof options.epoch === 'function' ? options.epoch() : options.epoch
        if (epoch !== undefined && sliceState(sessionSlice, entry.state).epoch > epoch) {
          throw new BeachError('LEASE_LOST', 'Another host has taken over this session; this one must stop.')
        }
        let drafts: EventDraft[] = []
        let refusal: { error: unknown } | undefined
        try {
          drafts = decide(entry.state, entry.head)
        } catch (error) {
          refusal = { error }
        }
        if (drafts.length > 0) {
          const starting = options.starter?.(entry.state, drafts)
          try {
            const events = await this.#append(entry, drafts, options.wakeAt, starting)
            if (events !== undefined) return { head: entry.head, events, state: entry.state }
          } finally {
            starting?.release()
          }
          fresh = true
        } else if (fresh) {
          if (refusal !== undefined) throw refusal.error
          return { head: entry.head, events: [], state: entry.state }
        } else {
          // A cached state may lag behind; nothing is refused or skipped on its word alone.
          await this.#refresh(entry)
          fresh = true
        }
      }
      throw new BeachError('CONFLICT', `Session ${session} changed ${maxConflicts} times while a commit was tried.`)
    }
    // A host has one commit at a time, and a turn to lose.
    return this.#serially(session, run, { isPatient: options.epoch !== undefined })
  }

  /** Reads events of the log, oldest first. */
  async read(session: string, after: number, limit?: number, maxCharacters?: number): Promise<LoggedEvent[]> {
    return (await this.#store.read(session, after, limit, maxCharacters)).map(toLogged)
  }

  /** The same, guaranteed only up to a seq: what this process has just read or written is not read again. */
  readUpTo(
    session: string,
    after: number,
    upTo: number,
    limit?: number,
    maxCharacters?: number,
  ): Promise<readonly LoggedEvent[]> {
    const recent = this.#recent.after(session, after, upTo, limit)
    return recent ? Promise.resolve(recent) : this.read(session, after, limit, maxCharacters)
  }

  /** Folds the whole log anew and replaces the snapshot by what comes of it. */
  rebuild(session: string): Promise<SessionRecord> {
    return this.#serially(session, async (entry) => {
      await this.#foldAnew(entry)
      entry.sinceSnapshot = 0
      await this.#store.saveSnapshot(session, entry.head, this.#foldVersion, entry.state)
      return { session, head: entry.head, state: entry.state }
    })
  }

  /** Saves a snapshot when enough has happened since the last one; without it the next host has more to read. */
  async snapshot(session: string): Promise<void> {
    const entry = this.#entries.get(session)
    if (entry === undefined || entry.sinceSnapshot < eventsPerSnapshot) return
    entry.sinceSnapshot = 0
    try {
      await this.#store.saveSnapshot(session, entry.head, this.#foldVersion, entry.state)
    } catch (error) {
      this.#runtime.logger.log('error', 'saving a snapshot failed', { session, error })
    }
  }

  /** The state with these events; the given state must not be used afterwards. The state of an empty log when left out. */
  folded(before: SessionState = this.#initial, events: readonly LoggedEvent[] = []): SessionState {
    // One new state for all events, instead of one for each.
    const folded: Record<string, unknown> = { ...before }
    const { by, all } = this.#folding
    for (const { seq, event } of events) {
      for (const slice of by.get(event.type) ?? all) folded[slice.ns] = slice.fold(folded[slice.ns], event, seq)
    }
    return folded
  }

  /** Drops what is held in memory for the session. */
  forget(session: string): void {
    this.#entries.delete(session)
    this.#recent.delete(session)
  }

  /** The events that slices add to the commit of an inbound message. */
  decide(state: SessionState, inbound: Inbound): EventDraft[] {
    const drafts: EventDraft[] = []
    for (const slice of this.#slices) if (slice.decide) drafts.push(...slice.decide(state[slice.ns], inbound))
    return drafts
  }

  /** The outcome of an input to a slice. */
  handle(state: SessionState, ns: string, said: unknown, context: HandleContext): HandleOutcome {
    const slice = this.#slices.find((one) => one.ns === ns)
    if (slice?.handle === undefined) throw new BeachError('NOT_FOUND', `No slice '${ns}' accepts input here.`)
    return slice.handle(state[ns], said, context)
  }

  /** What slices show to listeners; undefined when none of them shows anything. */
  shown(state: SessionState): Readonly<Record<string, unknown>> | undefined {
    const shown = this.#slices.flatMap((slice) => slice.shown?.(state[slice.ns]) ?? [])
    return shown.length === 0 ? undefined : Object.assign({}, ...shown)
  }

  /** The input that slices wait for from people. */
  inputRequests(state: SessionState): SliceInputRequest[] {
    return this.#slices.flatMap(
      (slice) => slice.inputRequests?.(state[slice.ns]).map((ask) => ({ ...ask, ns: slice.ns })) ?? [],
    )
  }

  /** Since when slices need messages; undefined when none does. */
  neededSince(state: SessionState): number | undefined {
    const times = this.#slices.flatMap((slice) => slice.neededSince?.(state[slice.ns]) ?? [])
    return times.length === 0 ? undefined : Math.min(...times)
  }

  /** The work that follows from the state. */
  effects(state: SessionState, now: number): Effect[] {
    const effects: Effect[] = []
    for (const slice of this.#slices) {
      if (state[slice.ns] === slice.initial) continue
      for (const effect of slice.effects?.(state[slice.ns], now) ?? []) {
        effects.push({
          key: `${slice.ns}:${effect.key}`,
          graceMs: effect.graceMs,
          run: (run: EffectRun) => effect.run(run),
        })
      }
    }
    return effects
  }

  /** The earliest time, after the given one, at which a slice wants the host to look again. */
  nextWakeAt(state: SessionState, after = -Infinity): number | undefined {
    let next: number | undefined
    const now = this.#runtime.clock.now()
    for (const slice of this.#slices) {
      if (state[slice.ns] === slice.initial) continue
      const time = slice.nextWakeAt?.(state[slice.ns], after, now)
      if (time !== undefined && time > after && (next === undefined || time < next)) next = time
    }
    return next
  }

  /** Appends once: the events with their places, or undefined when the log had moved on and was read again. */
  async #append(
    entry: Entry,
    drafts: readonly EventDraft[],
    wakeAt: CommitOptions['wakeAt'],
    starting: StartingTurn | undefined,
  ): Promise<readonly LoggedEvent[] | undefined> {
    const at = this.#runtime.clock.now()
    const { secrets } = this.#runtime
    // Content may be the caller's own object, which it keeps using; structure is ours.
    const all = [...drafts, ...(starting?.drafts ?? [])].map((draft): SessionEvent => {
      const stamped = { ...draft, id: this.#runtime.id('ev'), v: eventVersion, at }
      const hasContent = 'payload' in draft && draft.payload !== undefined
      if (!hasContent) return stamped
      const payload = jsonCopy(draft.payload)
      return Object.assign(stamped, { payload: secrets === undefined ? payload : secrets.value(payload) })
    })
    const events = all.slice(0, drafts.length)
    for (let attempt = 0; ; attempt++) {
      try {
        // Tried again it only wakes: whether the lease was taken the first time is unknown.
        const claim = attempt === 0 && starting && { events: all.slice(drafts.length), leaseMs: starting.leaseMs }
        const time = typeof wakeAt === 'function' ? wakeAt() : wakeAt
        const { head, lease } = claim
          ? await this.#store.appendAndClaim(entry.session, entry.head, events, claim)
          : { head: await this.#store.append(entry.session, entry.head, events, time) }
        const written = lease === undefined ? events : all
        const logged = written.map((event, index) => ({ seq: head - written.length + 1 + index, event }))
        this.#fold(entry, logged)
        if (lease !== undefined) starting?.run({ head, events: logged, state: entry.state }, lease)
        return logged
      } catch (error) {
        if (error instanceof Conflict) return this.#reconcile(entry, error, all)
        if (error instanceof BeachError && error.code !== 'STORE_UNAVAILABLE') throw error
        // The outcome is unknown: trying the same events again either appends them or conflicts with themselves.
        if (attempt >= unknownOutcomeRetries) {
          if (error instanceof BeachError) throw error
          throw new BeachError('STORE_UNAVAILABLE', 'The store did not confirm a write; nothing was acknowledged.', {
            cause: error,
          })
        }
        // Its awaiter is answered, though nothing else keeps the process alive.
        await keepAlive(sleep(this.#runtime.clock, 2 ** attempt * 20 * (0.5 + this.#runtime.random())))
      } finally {
        this.#onChange?.(entry.session, all)
      }
    }
  }

  /** After a conflict: our own events in the log mean that the append succeeded and only its acknowledgement was lost. */
  async #reconcile(
    entry: Entry,
    conflict: Conflict,
    events: readonly SessionEvent[],
  ): Promise<readonly LoggedEvent[] | undefined> {
    if (conflict.head < entry.head) await this.#load(entry)
    const news = await this.#refresh(entry)
    const ids = new Set(events.map((event) => event.id))
    const ours = news.filter((logged) => ids.has(logged.event.id))
    return ours.length > 0 ? ours : undefined
  }

  async #load(entry: Entry): Promise<void> {
    const snapshot = await this.#store.loadSnapshot(entry.session)
    const usable = snapshot !== undefined && snapshot.foldVersion === this.#foldVersion
    entry.loaded = false
    entry.head = usable ? snapshot.seq : 0
    entry.state = usable ? (snapshot.state as SessionState) : this.#initial
    entry.sinceSnapshot = 0
    this.#recent.delete(entry.session)
    await this.#refresh(entry)
    entry.loaded = true
  }

  async #refresh(entry: Entry): Promise<LoggedEvent[]> {
    const isFromStart = entry.head === 0
    const news: LoggedEvent[] = []
    for (;;) {
      const page = (await this.#store.read(entry.session, entry.head, pageSize)).map(toLogged)
      this.#fold(entry, page)
      news.push(...page)
      if (page.length < pageSize) break
      // A long log is folded in pieces, so that others are answered in between.
      await yieldToEventLoop()
    }
    // The cached state may be of erased content: everything is folded again from what is left.
    if (!isFromStart && news.some(({ event }) => event.type === 'dataErased')) {
      this.#recent.delete(entry.session)
      await this.#foldAnew(entry)
    }
    return news
  }

  /** From the beginning in one go; no listener sees the progress. */
  async #foldAnew(entry: Entry): Promise<void> {
    entry.loaded = false
    entry.head = 0
    entry.state = this.#initial
    await this.#refresh(entry)
    entry.loaded = true
  }

  #fold(entry: Entry, events: readonly LoggedEvent[]): void {
    this.#recent.add(entry.session, entry.head, events)
    entry.state = this.folded(entry.state, events)
    entry.head = events.at(-1)?.seq ?? entry.head
    entry.sinceSnapshot += events.length
  }

  /** One commit at a time per session in this process; between processes the store's compare-and-set decides. */
  #serially<Result>(
    session: string,
    run: (entry: Entry) => Promise<Result>,
    { isPatient = false }: { readonly isPatient?: boolean } = {},
  ): Promise<Result> {
    const entry = this.#entries.get(session) ?? newEntry(session, this.#initial)
    this.#entries.set(session, entry)
    const isFree = entry.users++ === 0
    const { clock } = this.#runtime
    const since = elapsed(clock)
    const afterWaiting = () => {
      const { failure } = entry
      const isLate = failure !== undefined && !isPatient && elapsed(clock) - since >= maxWaitMs
      if (isLate) throw new BeachError(failure.code, failure.message, { cause: failure })
      return run(entry)
    }
    const result = isFree ? run(entry) : entry.last.then(afterWaiting)
    const leave = (error?: unknown) => {
      entry.users--
      entry.failure = error !== undefined && isStoreFailure(error) ? error : undefined
      // A session that does not exist is not cached, so made-up ids cannot evict real sessions.
      if (entry.head === 0 && this.#entries.get(session) === entry) this.#entries.delete(session)
    }
    entry.last = result.then(() => leave(), leave)
    return result
  }
}

function newEntry(session: string, state: SessionState): Entry {
  return { session, head: 0, state, sinceSnapshot: 0, loaded: false, last: Promise.resolve(), users: 0 }
}

function foldingSlices(slices: readonly AnySlice[]) {
  const types = new Set<string>(slices.flatMap(({ folds }) => folds ?? []))
  const folding = (type: string) => slices.filter(({ folds }) => folds?.some((one) => one === type) ?? true)
  const all = slices.filter(({ folds }) => folds === undefined)
  return { by: new Map([...types].map((type) => [type, folding(type)])), all }
}

/** The state of one slice. */
export function sliceState<State>(slice: Slice<State>, state: SessionState): State {
  return (state[slice.ns] as State | undefined) ?? slice.initial
}

/**
 * An event of a session as the store has it. One of a later version is refused: this process leaves the session to those
 * that can read it. One of an unknown type is kept, and no slice folds it.
 */
export function toLogged(stored: StoredEvent): LoggedEvent {
  const event = stored.data as SessionEvent
  if (event.v > eventVersion) {
    throw new BeachError(
      'NEWER_VERSION',
      `This session has events of version ${event.v}; this process reads up to version ${eventVersion}. Try again: a process with a newer version of Beach answers.`,
      { details: { seq: stored.seq } },
    )
  }
  return { seq: stored.seq, event }
}

/** A commit larger than this belongs into the artifact store, with a reference in the log. */
export const commitLimits = { characters: 512 * 1024, events: 1_000 } as const

/** The events of one append as JSON, one text each; refused as a whole when they are too many or too large. */
export function encodeCommit(events: readonly unknown[]): string[] {
  if (events.length === 0) throw new BeachError('BAD_REQUEST', 'An append needs at least one event.')
  if (events.length > commitLimits.events) {
    throw new BeachError(
      'COMMIT_TOO_LARGE',
      `A commit holds at most ${commitLimits.events} events; this one has ${events.length}.`,
    )
  }
  const texts = events.map((event) => JSON.stringify(event))
  const characters = texts.reduce((sum, text, index) => {
    // Encrypted content is Base64, and as long as it was before counts.
    const isSealed = Object.hasOwn(Object(events[index]) as object, 'sealed')
    return sum + (isSealed ? (text.length * 3) / 4 : text.length)
  }, 0)
  if (characters > commitLimits.characters) {
    throw new BeachError(
      'COMMIT_TOO_LARGE',
      `A commit holds at most ${commitLimits.characters} characters of JSON; this one has ${characters}. Store large data as an artifact and refer to it.`,
    )
  }
  return texts
}
