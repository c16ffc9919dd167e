import { envelopeWithFiles, type EnvelopeFiles } from '@cool-ai/beach-channel'
import { jsonResponse } from '@cool-ai/beach-channel/http'
import { until } from '@cool-ai/beach-channel/live'
import type { Envelope, Frame, Originator, Part, Principal, Runtime, Sessions } from '@cool-ai/beach-core'
import { reader, type Inbox } from './inbox.ts'
import type { StatusLinks, StatusTarget } from './status-links.ts'

export interface RepliesOptions {
  readonly runtime: Runtime
  readonly sessions: Sessions
  readonly ending: AbortSignal
  readonly tenant: string
  readonly links: StatusLinks
  readonly files: EnvelopeFiles
}

const defaultTimeoutMs = 8_000
/** Further requests do not wait. */
const maxWaiting = 500

/** Answers of turns as the replies to requests: at once, or by a status URL. */
export class Replies {
  readonly #options: RepliesOptions
  #waiting = 0

  constructor(options: RepliesOptions) {
    this.#options = options
  }

  /** The envelope, or how to get it later. A caller with a callback does not wait, or the answer would come twice. */
  async reply(place: StatusTarget, to: Originator, inbox: Inbox, gone: AbortSignal): Promise<Response> {
    const isCalledBack = to.address !== undefined
    const answer: TurnAnswer = isCalledBack ? { status: 'working' } : await this.#wait(place, to, inbox, gone)
    if (answer.status === 'settled') return jsonResponse(await this.#linked(answer.envelope, to))
    const { url, expiresAt } = await this.#options.links.make(inbox.name, place)
    const shown = { ...(await this.#shown(answer, to)), statusUrl: url, expiresAt: new Date(expiresAt).toISOString() }
    return jsonResponse(shown, 202, { location: url, 'retry-after': '5' })
  }

  /** The current answer at a status URL. The link is the credential: it is signed, and valid for this answer only. */
  async status(name: string, id: string): Promise<Response> {
    const { links, tenant, sessions, runtime } = this.#options
    const place = await links.read(name, id)
    const principal: Principal = { kind: 'operator', id: `webhook:${name}`, tenant }
    const to = reader(name, principal)
    const frames = sessions.history(place.session, to, { from: place.seq })
    const answer = await read(frames, false, { place, to, sessions, runtime })
    const headers: Record<string, string> = answer.status === 'settled' ? {} : { 'retry-after': '5' }
    return jsonResponse(await this.#shown(answer, to), 200, headers)
  }

  async #wait(place: StatusTarget, to: Originator, { hook }: Inbox, gone: AbortSignal): Promise<TurnAnswer> {
    const { sessions, runtime, ending } = this.#options
    if (this.#waiting >= maxWaiting) return { status: 'working' }
    const late = new AbortController()
    const cancel = runtime.clock.timer(hook.timeoutMs ?? defaultTimeoutMs, () => late.abort())
    const end = until(late.signal, ending, gone)
    this.#waiting++
    const frames = sessions.follow(place.session, to, { from: place.seq }, end.signal)
    try {
      return await read(frames, true, { place, to, sessions, runtime })
    } catch (error) {
      if (end.signal.aborted) return { status: 'working' }
      throw error
    } finally {
      this.#waiting--
      cancel()
      end.now()
    }
  }

  async #shown(answer: TurnAnswer, to: Originator): Promise<TurnAnswer> {
    return 'envelope' in answer ? { ...answer, envelope: await this.#linked(answer.envelope, to) } : answer
  }

  #linked(envelope: Envelope, to: Originator): Promise<Envelope> {
    return envelopeWithFiles(envelope, to, this.#options.files)
  }
}

type TurnAnswer =
  | { readonly status: 'working' }
  /** Approvals must be decided first; the envelope has the parts so far. */
  | { readonly status: 'suspended'; readonly envelope: Envelope; readonly approvals: readonly string[] }
  | { readonly status: 'settled'; readonly envelope: Envelope }

interface Reading {
  readonly place: StatusTarget
  readonly to: Originator
  readonly sessions: Sessions
  readonly runtime: Runtime
}

/** Reads the answer to a message; one that is live until a decision is needed, or it has ended. */
async function read(frames: AsyncIterable<Frame>, isLive: boolean, reading: Reading): Promise<TurnAnswer> {
  const { place, to, sessions } = reading
  const parts = new Map<string, Part>()
  let turnId: string | undefined
  for await (const frame of frames) {
    if (frame.kind === 'turn' && frame.messageIds?.includes(place.messageId) === true) turnId ??= frame.turnId
    if (turnId === undefined || frame.turnId !== turnId) continue
    if (frame.kind === 'part' && frame.role === 'agent') parts.set(frame.partId, frame.part)
    if (frame.kind === 'settled') {
      const envelope = await sessions.envelope(place.session, turnId, to, undefined, place.seq)
      if (envelope !== undefined) return { status: 'settled', envelope }
    }
    if (isLive && frame.kind === 'turn' && frame.turnState === 'suspended') {
      const answer = await suspended(turnId, parts, reading)
      if (answer !== undefined) return answer
    }
  }
  return (turnId === undefined ? undefined : await suspended(turnId, parts, reading)) ?? { status: 'working' }
}

/** Undefined when there is nothing to decide any more: then the turn goes on. */
async function suspended(
  turnId: string,
  parts: ReadonlyMap<string, Part>,
  { place, to, sessions, runtime }: Reading,
): Promise<TurnAnswer | undefined> {
  const { turn } = await sessions.view(place.session, to.principal)
  const approvals = turn?.turnId === turnId ? turn.pendingApprovals : []
  if (approvals.length === 0) return undefined
  const producedAt = new Date(runtime.clock.now()).toISOString()
  const meta = { sessionId: place.session, turnId, originatorId: to.id, producedAt, turnState: 'suspended' }
  return { status: 'suspended', approvals, envelope: { role: 'agent', parts: [...parts.values()], meta } }
}
