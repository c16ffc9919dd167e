import type { Frame, Part, PartTypeRegistry } from '@cool-ai/beach-core'
import { isSupplement } from '../answer-result.ts'
import { noSuchTask } from './task-id.ts'

type PartFrame = Extract<Frame, { kind: 'part' }>
type TurnFrame = Extract<Frame, { kind: 'turn' }>
type SettledFrame = Extract<Frame, { kind: 'settled' }>

/** Marks a message as the answer to the question of a turn, under `metadata.mcp`. */
export function answerMark(turnId: string) {
  return { mcp: { answers: turnId } }
}

function answeredBy({ metadata }: Part): string | undefined {
  const { mcp } = metadata
  if (typeof mcp !== 'object' || mcp === null || !('answers' in mcp)) return undefined
  return typeof mcp.answers === 'string' ? mcp.answers : undefined
}

/**
 * A task, folded from the frames of its session, beginning with the one that its id names. It has the turn of its message
 * and, where that ended with a question, the turn of the answer. When the conversation goes on without an answer, the
 * question is what the task has come to.
 */
export class TaskFold {
  readonly #partTypes: PartTypeRegistry
  createdAt = 0
  updatedAt = 0
  /** The message that waits for its turn, or whose turn it is; absent for a task that goes on from a decision. */
  messageId: string | undefined
  turnId: string | undefined
  turnState: string | undefined
  /** What the present turn has said so far. */
  readonly parts = new Map<string, Part>()
  /** What the agent said last on its way. */
  note: string | undefined
  /** How far the log was read. */
  cursor = 0
  isCancelled = false
  #isSettled = false
  #isPassedBy = false
  #hasBegun = false

  constructor(partTypes: PartTypeRegistry) {
    this.#partTypes = partTypes
  }

  get hasBegun(): boolean {
    return this.#hasBegun
  }

  get isSettled(): boolean {
    return this.#isSettled
  }

  /** True while the question of a settled turn can still be answered. */
  get isAsking(): boolean {
    return this.#isSettled && this.turnState === 'clarifying' && !this.isCancelled && !this.#isPassedBy
  }

  /** True when nothing changes it any more: the rest of the log need not be read. */
  get isOver(): boolean {
    return this.#isSettled && !this.isAsking
  }

  apply(frame: Frame): void {
    if (frame.kind === 'state' || frame.kind === 'delta' || frame.kind === 'retract') return
    if (frame.cursor !== undefined) this.cursor = Number(frame.cursor)
    if (!this.#hasBegun) this.#begin(frame)
    switch (frame.kind) {
      case 'part':
        return frame.role === 'user' ? this.#userPart(frame) : this.#said(frame)
      case 'turn':
        return this.#turned(frame)
      case 'settled':
        return this.#settled(frame)
      case 'decision':
        if (frame.turnId === this.turnId) this.updatedAt = frame.at
        break
      // The calls of tools are no part of a task.
      case 'call':
      case 'result':
        break
    }
  }

  #begin(frame: Frame): void {
    if (frame.kind !== 'part') throw noSuchTask()
    if (frame.role === 'user') this.messageId = frame.partId.slice(0, frame.partId.lastIndexOf('.'))
    else if (frame.turnId === undefined) throw noSuchTask()
    else this.turnId = frame.turnId
    this.#hasBegun = true
    this.createdAt = frame.at
    this.updatedAt = frame.at
  }

  #userPart({ part, partId, at }: PartFrame): void {
    if (!this.isAsking || answeredBy(part) !== this.turnId) return
    this.messageId = partId.slice(0, partId.lastIndexOf('.'))
    this.turnId = undefined
    this.turnState = undefined
    this.#isSettled = false
    this.updatedAt = at
  }

  #turned({ turnId, turnState, messageIds }: TurnFrame): void {
    if (this.messageId !== undefined && messageIds?.includes(this.messageId) === true) {
      this.turnId = turnId
      this.parts.clear()
      this.note = undefined
    } else if (messageIds !== undefined && this.isAsking) {
      this.#isPassedBy = true
    }
    if (turnId === this.turnId && !this.#isSettled) this.turnState = turnState
  }

  #said({ part, partId, turnId, at }: PartFrame): void {
    if (turnId === undefined || turnId !== this.turnId || this.#isSettled) return
    this.updatedAt = at
    if (!isSupplement(part, this.#partTypes)) this.parts.set(partId, part)
    else this.note = this.#partTypes.get(part.metadata.partType)?.toText?.(part) ?? part.text ?? this.note
  }

  /** A question that is taken back settles its turn once more. */
  #settled({ turnId, turnState, finalizedBy, at }: SettledFrame): void {
    if (turnId !== this.turnId || this.isOver) return
    this.#isSettled = true
    this.turnState = turnState
    this.isCancelled = finalizedBy === 'cancelled'
    this.updatedAt = at
  }
}
