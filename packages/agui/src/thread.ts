import type { Frame, Part } from '@cool-ai/beach-core'
import { peerOf } from '@cool-ai/beach-core/ports'
import { contentHash, defined, LruMap } from '@cool-ai/beach-core/runtime'
import { approvalRequestSchema } from '@cool-ai/beach-protocol'
import { aguiMarkOf } from './agui-mark.ts'
import { messageIdOf, resultIdOf, textKindOf } from './text-kind.ts'

type FrameOf<Kind extends Frame['kind']> = Extract<Frame, { kind: Kind }>

/** Where a run began that has brought a message. */
export interface RunStart {
  readonly messageId: string
  readonly after: string
  readonly during?: string
}

/** A message of the conversation that a client may have. */
export interface KnownMessage {
  readonly cursor: string
  /** The one before. */
  readonly after: string
  readonly turnId?: string
  readonly length: number
}

/** What is known of a turn's texts, and the event with which it ended. */
interface TurnTexts {
  readonly last?: string
  readonly settled?: string
}

/** An approval that was asked for. */
export interface AskedApproval {
  readonly approvalId: string
  readonly turnId: string
  readonly partId: string
  readonly asked: string
  /** The request itself, as long as it is undecided. */
  readonly part?: Part
  readonly expiresAt?: number
  readonly decided?: string
}

/** A call of a tool, as far as the client is shown it. */
export interface ShownCall {
  readonly callId: string
  readonly turnId: string
  readonly name: string
  readonly started: string
  /** The originator whose client runs it, and until when its result counts. */
  readonly client?: string
  readonly expiresAt?: number
  readonly finished?: string
  /** By what the result of a client is known when it comes again. */
  readonly resultHash?: string
}

/** A question that a turn has ended with. */
export interface Question {
  readonly turnId: string
  readonly parts: readonly { readonly partId: string; readonly part: Part }[]
}

interface OpenTurn {
  readonly turnId: string
  /** The messages that it answers. */
  readonly messageIds: readonly string[]
  readonly turnState: string
  /** True when it goes on once clients have run what they were called for. */
  readonly waitsForClient?: boolean
  readonly after: string
}

/** What must be known of a thread to take a run in, folded from the frames of its session from their start on. */
export class Thread {
  /** The last event that was folded; a cursor of no event is before them all. */
  cursor = '0'
  openTurn: OpenTurn | undefined
  /** How things stood when it was last read. */
  state: FrameOf<'state'> | undefined
  /** The question that the last turn has asked, until something comes. */
  question: Question | undefined
  readonly runs = new LruMap<RunStart>(1_000)
  /**
   * By the client's id for what came by AG-UI, and by the part's id for everything else. There are more of them than a
   * run may bring: one that was forgotten would be taken for a new one.
   */
  readonly messages = new LruMap<KnownMessage>(3_000)
  /** Calls of tools and their results, which some clients do not keep: however many there are, no other is forgotten for them. */
  readonly toolMessages = new LruMap<KnownMessage>(1_000)
  readonly approvals = new LruMap<AskedApproval>(200)
  readonly calls = new LruMap<ShownCall>(500)
  readonly turns = new LruMap<TurnTexts>(200)
  /** Messages that came by AG-UI and that no turn has taken yet. */
  readonly waiting = new Set<string>()
  #requested: Question['parts'][number][] = []
  readonly #questions = new LruMap<true>(200)
  readonly #me: string

  /** `me` is the originator whose client it is read for. */
  constructor(me: string) {
    this.#me = me
  }

  /** The approvals that are needed before the session goes on. */
  pendingAt(now: number): AskedApproval[] {
    const { openTurn } = this
    if (openTurn?.turnState !== 'suspended') return []
    return [...this.approvals.values()].filter(({ turnId, part, expiresAt = Infinity }) => {
      return turnId === openTurn.turnId && part !== undefined && expiresAt > now
    })
  }

  /** The calls of the open turn that this client has to run, and has not yet. */
  openCalls(): ShownCall[] {
    const { openTurn } = this
    return [...this.calls.values()].filter(({ turnId, client, finished }) => {
      return turnId === openTurn?.turnId && client === this.#me && finished === undefined
    })
  }

  /** Those of them that the session waits for, and nothing else of the agent. */
  awaitedCallsAt(now: number): ShownCall[] {
    if (this.openTurn?.waitsForClient !== true) return []
    return this.openCalls().filter(({ expiresAt = Infinity }) => expiresAt > now)
  }

  /** True for a call that this client is to run, or was. */
  isMine({ client }: ShownCall): boolean {
    return client === this.#me
  }

  /** True when nothing more comes before a person, or the client, has answered. */
  rests(now: number): boolean {
    return this.pendingAt(now).length > 0 || this.awaitedCallsAt(now).length > 0
  }

  /** True for the id of a turn that has asked something, whether or not it was answered. */
  hasAsked(turnId: string): boolean {
    return this.#questions.has(turnId)
  }

  apply(frame: Frame): void {
    const before = this.cursor
    switch (frame.kind) {
      case 'part':
        if (frame.role === 'user') this.#userPart(frame, before)
        else this.#said(frame)
        break
      case 'turn':
        this.#turned(frame, before)
        break
      case 'settled':
        this.#settled(frame)
        break
      case 'decision':
        this.#decided(frame.approvalId, frame.cursor ?? before)
        break
      case 'call':
        this.#called(frame, before)
        break
      case 'result':
        this.#finished(frame, before)
        break
      case 'state':
        if (frame.cursor === undefined) this.state = frame
        break
      default:
        break
    }
    if (frame.cursor !== undefined) this.cursor = frame.cursor
  }

  #userPart({ partId, part, cursor }: FrameOf<'part'>, before: string): void {
    const messageId = partId.slice(0, partId.lastIndexOf('.'))
    const mark = aguiMarkOf(part)
    this.question = undefined
    const length = part.text?.length ?? 0
    this.messages.set(mark?.messageId ?? partId, { cursor: cursor ?? before, after: before, length })
    if (mark === undefined) return
    this.waiting.add(messageId)
    if (this.runs.has(mark.runId)) return
    const during = this.openTurn && { during: this.openTurn.turnId }
    this.runs.set(mark.runId, { messageId, after: before, ...during })
  }

  #said({ partId, part, turnId, cursor = this.cursor }: FrameOf<'part'>): void {
    const { partType } = part.metadata
    const kind = textKindOf(partType)
    if (turnId === undefined) return
    if (kind !== undefined && part.text !== undefined && part.text !== '') {
      const id = messageIdOf(partId, kind)
      this.messages.set(id, { cursor, after: this.cursor, turnId, length: part.text.length })
      this.turns.set(turnId, { ...this.turns.get(turnId), last: id })
    }
    if (partType === 'clarify' && peerOf(part) === undefined) this.#requested.push({ partId, part })
    const request = partType === 'approval-request' ? approvalRequestSchema.safeParse(part.data).data : undefined
    if (request === undefined || this.approvals.has(request.approvalId)) return
    const { approvalId, expiresAt } = request
    const expiry = expiresAt === undefined ? {} : { expiresAt: Date.parse(expiresAt) }
    this.approvals.set(approvalId, { approvalId, turnId, partId, part, asked: cursor, ...expiry })
  }

  #called({ callId, turnId, name, client, expiresAt, cursor = this.cursor }: FrameOf<'call'>, before: string): void {
    this.calls.set(callId, defined({ callId, turnId, name, started: cursor, client, expiresAt }))
    this.toolMessages.set(callId, { cursor, after: before, turnId, length: 0 })
  }

  #finished({ callId, turnId, outcome, value, cursor = this.cursor }: FrameOf<'result'>, before: string): void {
    const call = this.calls.get(callId)
    const isMine = call !== undefined && this.isMine(call)
    // What a client has brought itself it has under another id.
    if (!isMine) this.toolMessages.set(resultIdOf(callId), { cursor, after: before, turnId, length: 0 })
    const hash = isMine ? { resultHash: resultHashOf(outcome, value) } : undefined
    if (call !== undefined) this.calls.set(callId, { ...call, finished: cursor, ...hash })
  }

  #turned({ turnId, turnState, messageIds, waitsForClient }: FrameOf<'turn'>, before: string): void {
    if (messageIds === undefined) {
      if (this.openTurn?.turnId === turnId)
        this.openTurn = { ...this.openTurn, turnState, waitsForClient: waitsForClient === true }
      return
    }
    for (const id of messageIds) this.waiting.delete(id)
    this.openTurn = { turnId, messageIds, turnState, after: before }
    this.question = undefined
    this.#requested = []
  }

  #settled({ turnId, turnState, finalizedBy, cursor = this.cursor }: FrameOf<'settled'>): void {
    this.turns.set(turnId, { ...this.turns.get(turnId), settled: cursor })
    if (this.openTurn?.turnId === turnId) this.openTurn = undefined
    for (const { approvalId, turnId: asker, part } of this.approvals.values()) {
      if (asker === turnId && part !== undefined) this.#decided(approvalId)
    }
    const asks = turnState === 'clarifying' && finalizedBy !== 'cancelled'
    if (asks) this.#questions.set(turnId, true)
    if (asks) this.question = { turnId, parts: this.#requested }
    else if (this.question?.turnId === turnId) this.question = undefined
  }

  #decided(approvalId: string, cursor?: string): void {
    const approval = this.approvals.get(approvalId)
    if (approval === undefined) return
    const { part: _, ...rest } = approval
    this.approvals.set(approvalId, { ...rest, ...defined({ decided: cursor }) })
  }
}

/** By what the result of a call is known when it comes again. */
export function resultHashOf(outcome: string, value: unknown): string {
  return contentHash([outcome, value ?? null])
}
