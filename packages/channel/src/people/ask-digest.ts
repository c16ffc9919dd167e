import { createHash } from 'node:crypto'
import {
  type Envelope,
  type Originator,
  type Part,
  type Runtime,
  type SendOutcome,
  type Sessions,
  type Store,
} from '@cool-ai/beach-core'
import type { KeyRetention, RecordTimes } from '@cool-ai/beach-core/ports'
import { ifFound } from '@cool-ai/beach-core/runtime'
import {
  approvalRequestSchema,
  approvalSurfacePrefix,
  readA2uiMessages,
  surfaceIds,
} from '@cool-ai/beach-protocol/parts'
import { approvalRecord } from './approval-record.ts'
import { eachKey } from './each-key.ts'
import type { StoreCaps } from './store-caps.ts'

/** A request for an approval to a person, in a message of its own or gathered with others. */
export interface GatheredAsk {
  readonly approvalId: string
  readonly to: Originator
  /** The key of the delivery that it came with. */
  readonly key: string
  readonly meta: Envelope['meta']
  readonly at: number
  /** Whether it has had a message of its own. */
  readonly isAsked: boolean
}

interface Due {
  readonly who: string
  readonly at: number
  readonly attempt: number
}

interface AskDigestOptions {
  readonly store: Store
  readonly runtime: Runtime
  readonly transport: string
  readonly tenant: string
  readonly caps: StoreCaps
  /** Requests that one person gets in messages of their own within ten minutes; 5 when left out. */
  readonly asksPerWindow?: number | undefined
  readonly sessions: Sessions
  /** Sends one message about all of them. */
  readonly send: (asks: readonly GatheredAsk[], key: string, signal: AbortSignal) => Promise<SendOutcome>
}

const defaultAsksPerWindow = 5
const windowMs = 10 * 60_000
const againMs = 60_000
const maxGatheredAsks = 500
const maxAttempts = 60
const checkedAtOnce = 5

/** When gathered requests may be deleted: their channel may be gone, or the approver gets no more requests. */
export function gatheredAskKeys({ recordsMs }: RecordTimes): KeyRetention {
  return {
    prefix: 'asks:',
    keepMs: recordsMs,
    isNeeded: async ({ value }, { activity }) => {
      const { approvalId, meta } = JSON.parse(value) as Partial<GatheredAsk>
      if (approvalId === undefined || meta === undefined) return false
      return (await activity(meta.sessionId))?.pendingApprovals.includes(approvalId) === true
    },
  }
}

/**
 * Keeps requests for approvals from flooding the approver: after a few within ten minutes, further ones are gathered
 * into one message that lists all open ones. They are in the store, so that the next process sends it.
 */
export class AskDigest {
  readonly #options: AskDigestOptions
  readonly #prefix: string
  /** What ends the timers that run. */
  readonly #timers = new Set<() => void>()
  #signal: AbortSignal | undefined

  constructor(options: AskDigestOptions) {
    this.#options = options
    this.#prefix = `asks:${options.transport}:${encodeURIComponent(options.tenant)}:`
  }

  /** Takes over what an earlier process has left to be sent. */
  async start(signal: AbortSignal): Promise<void> {
    this.#signal = signal
    signal.addEventListener('abort', () => this.#timers.forEach((cancel) => cancel()), { once: true })
    for await (const { value } of eachKey(this.#options.store, `${this.#prefix}due:`)) {
      this.#schedule(JSON.parse(value) as Due)
    }
  }

  /** The envelope without the requests that are gathered; with `isFull` that is every one. */
  async admit(who: string, to: Originator, envelope: Envelope, key: string, isFull = false): Promise<Envelope> {
    const gathered = new Set<string>()
    for (const part of envelope.parts) {
      const approvalId = approvalIdOf(part)
      if (approvalId === undefined) continue
      const ask = { approvalId, to, key, meta: envelope.meta, at: this.#options.runtime.clock.now() }
      if (!(await this.#asksAlone(who, ask, isFull))) gathered.add(approvalId)
    }
    if (gathered.size === 0) return envelope
    return { ...envelope, parts: envelope.parts.filter((part) => !isOf(part, gathered)) }
  }

  /** The requests that wait for a person's decision, the oldest first. Decided ones are deleted. */
  async open(who: string): Promise<GatheredAsk[]> {
    const asks = await this.#gathered(who, maxGatheredAsks)
    const open: GatheredAsk[] = []
    for (const ask of asks) {
      if (await this.#isPending(ask)) open.push(ask)
      else await this.#options.store.unbind(this.#askKey(who, ask))
    }
    return open.toSorted((one, other) => one.at - other.at)
  }

  /** The request itself, as its session has it; undefined when it is gone. */
  async partOf({ approvalId, meta }: GatheredAsk): Promise<Part | undefined> {
    const { sessions, transport, tenant } = this.#options
    return (await approvalRecord(sessions, { approvalId, session: meta.sessionId, transport, tenant })).part
  }

  /** Notes that a request has had a message of its own. */
  async asked(who: string, ask: GatheredAsk): Promise<void> {
    const key = this.#askKey(who, ask)
    await this.#options.store.unbind(key)
    await this.#options.store.bind(key, JSON.stringify({ ...ask, isAsked: true }))
  }

  /** Forgets what waits for a person. */
  async forget(who: string): Promise<void> {
    for await (const { key } of eachKey(this.#options.store, this.#of(who))) await this.#options.store.unbind(key)
    await this.#options.store.unbind(this.#dueKey(who))
  }

  async #asksAlone(who: string, ask: Omit<GatheredAsk, 'isAsked'>, isFull: boolean): Promise<boolean> {
    const { store, caps, runtime, asksPerWindow: max = defaultAsksPerWindow } = this.#options
    const key = this.#askKey(who, ask)
    const [before] = await store.list(key, undefined, 1)
    if (before?.key === key) {
      const { isAsked: wasAsked } = JSON.parse(before.value) as GatheredAsk
      if (!isFull || !wasAsked) return wasAsked
      await store.unbind(key)
    }
    await this.#prune(who, key)
    const counted = isFull ? undefined : await caps.count(key, [{ what: `asks of ${who}`, max, windowMs }])
    const isAsked = counted !== undefined && typeof counted !== 'object'
    if (await this.#hasRoom(who)) await store.bind(key, JSON.stringify({ ...ask, isAsked }))
    if (isAsked) return true
    runtime.logger.log('info', 'a request for an approval is gathered with others', { approvalId: ask.approvalId })
    await this.#plan({ who, at: runtime.clock.now() + windowMs, attempt: 1 })
    return false
  }

  async #plan(due: Due): Promise<void> {
    const value = JSON.stringify(due)
    if ((await this.#options.store.bind(this.#dueKey(due.who), value)) === value) this.#schedule(due)
  }

  #schedule(due: Due): void {
    const wait = Math.min(Math.max(0, due.at - this.#options.runtime.clock.now()), windowMs)
    this.#after(wait, due, () => this.#send(due))
  }

  #after(ms: number, due: Due, run: () => Promise<void>): void {
    const { clock, logger } = this.#options.runtime
    const cancel = clock.timer(ms, () => {
      this.#timers.delete(cancel)
      run().catch((error: unknown) => {
        logger.log('error', 'requests that were gathered could not be sent; they are tried again', { error })
        this.#after(againMs, due, () => this.#takeOver(due))
      })
    })
    this.#timers.add(cancel)
  }

  /** Sends what the process that was to send it has not sent within a minute, because it was killed or the store failed. */
  async #takeOver(due: Due): Promise<void> {
    const { store } = this.#options
    const key = this.#dueKey(due.who)
    const [found] = await store.list(key, undefined, 1)
    if (found?.key !== key || found.value !== JSON.stringify(due)) return
    await store.unbind(key)
    // The same moment again: by it the channel knows whether the message was sent.
    if (due.attempt < maxAttempts) await this.#plan({ ...due, attempt: due.attempt + 1 })
  }

  async #send(due: Due): Promise<void> {
    const signal = this.#signal
    if (signal === undefined || signal.aborted) return
    const { store, caps, runtime, send } = this.#options
    const { who, at, attempt } = due
    // Of several processes one sends it.
    const what = `digest ${who} ${at} ${attempt}`
    if ((await caps.count(runtime.id('digest'), [{ what, max: 1, windowMs: 24 * 60 * windowMs }])) !== 'new') {
      return this.#after(againMs, due, () => this.#takeOver(due))
    }
    const open = await this.open(who)
    const outcome = open.length === 0 ? undefined : await send(open, `digest:${who}:${at}`, signal)
    await store.unbind(this.#dueKey(who))
    if (outcome?.status === 'failed' && attempt < maxAttempts) {
      await this.#plan({ who, at: runtime.clock.now() + againMs, attempt: attempt + 1 })
    } else if (outcome !== undefined && outcome.status !== 'sent') {
      const { reason } = outcome
      runtime.logger.log('error', 'requests that were gathered were not sent', { reason, count: open.length })
    }
  }

  async #hasRoom(who: string): Promise<boolean> {
    if ((await this.#gathered(who, maxGatheredAsks)).length < maxGatheredAsks) return true
    return (await this.open(who)).length < maxGatheredAsks
  }

  /** Looks whether a few of them still wait: those behind a key, which may be anywhere among them. */
  async #prune(who: string, key: string): Promise<void> {
    for (const ask of await this.#gathered(who, checkedAtOnce, key)) {
      if (!(await this.#isPending(ask))) await this.#options.store.unbind(this.#askKey(who, ask))
    }
  }

  async #gathered(who: string, max: number, after?: string): Promise<GatheredAsk[]> {
    const entries = await this.#options.store.list(this.#of(who), after, max)
    return entries.map(({ value }) => JSON.parse(value) as GatheredAsk)
  }

  async #isPending({ approvalId, meta }: GatheredAsk): Promise<boolean> {
    const { sessions, transport, tenant } = this.#options
    const view = await ifFound(sessions.view(meta.sessionId, { kind: 'operator', id: transport, tenant }))
    return view?.turn?.pendingApprovals.includes(approvalId) === true
  }

  #of(who: string): string {
    return `${this.#prefix}of:${digestOf(who)}:`
  }

  #askKey(who: string, { approvalId, meta }: Pick<GatheredAsk, 'approvalId' | 'meta'>): string {
    return this.#of(who) + digestOf(`${meta.sessionId} ${approvalId}`)
  }

  #dueKey(who: string): string {
    return `${this.#prefix}due:${digestOf(who)}`
  }
}

function approvalIdOf({ metadata, data }: Part): string | undefined {
  if (metadata.partType !== 'approval-request') return undefined
  return approvalRequestSchema.safeParse(data).data?.approvalId
}

/** Whether a part is one of these requests, or the surface of one. */
function isOf(part: Part, approvals: ReadonlySet<string>): boolean {
  const approvalId = approvalIdOf(part)
  if (approvalId !== undefined) return approvals.has(approvalId)
  if (part.metadata.partType !== 'a2ui-surface') return false
  const ids = surfaceIds(readA2uiMessages(part.data) ?? [])
  return ids.some((id) => approvals.has(id.slice(approvalSurfacePrefix.length)))
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22)
}
