import type { Coordinates, Frame } from '@cool-ai/beach-core'
import type { ApprovalOutcome } from '@cool-ai/beach-core/ports'
import { toReaderPart } from './reader-part.ts'
import type { StreamBeginning, StreamChange, StreamDecision, StreamPart, StreamTurn } from './stream-types.ts'

type FrameOf<Kind extends Frame['kind']> = Extract<Frame, { kind: Kind }>

/**
 * The conversation as its frames tell it. Frames may come twice, again from the start, or late: applying them gives the
 * same view as reading the log, plus the text that is still open.
 */
export class StreamView {
  readonly committed: StreamPart[] = []
  readonly turns = new Map<string, StreamTurn>()
  readonly approvals = new Map<string, ApprovalOutcome>()
  readonly decisions = new Map<string, StreamDecision>()
  state: Coordinates = {}
  began: StreamBeginning | undefined
  #stateSeq = -1
  readonly #committedIds = new Set<string>()
  readonly #open = new Map<string, StreamPart>()

  /** Open parts, in the order in which their turn will show them. */
  open(): StreamPart[] {
    return [...this.#open.values()].toSorted(byPlace)
  }

  apply(frame: Frame): StreamChange[] {
    switch (frame.kind) {
      case 'part':
        return this.#part(frame)
      case 'delta':
        return this.#delta(frame)
      case 'retract':
        return this.#retract(frame)
      case 'turn':
        return this.#turn(frame)
      case 'settled':
        return this.#settled(frame)
      case 'decision': {
        const { kind: _, cursor: __, ...decision } = frame
        return this.#decision(decision)
      }
      case 'state':
        return this.#moved(frame)
      case 'call':
      case 'result':
        // What tools do is no part of the conversation.
        return []
      default:
        // A newer server may send kinds of frames that this viewer does not know.
        return (frame satisfies never, [])
    }
  }

  #part({ part, partId, role, turnId, turnState, at }: FrameOf<'part'>): StreamChange[] {
    if (this.#committedIds.has(partId)) return []
    const value: StreamPart = {
      ...toReaderPart(part),
      partId,
      role,
      ...(turnId === undefined ? {} : { turnId }),
      ...(turnState === undefined ? {} : { turnState }),
      at,
      open: false,
      gap: false,
    }
    this.#committedIds.add(partId)
    this.#open.delete(partId)
    this.committed.push(value)
    return [{ type: 'part', value }]
  }

  #delta(frame: FrameOf<'delta'>): StreamChange[] {
    const { turnId, partId, partType, offset, text: delta } = frame
    if (this.#isPast(frame)) return []
    const changes = this.#raiseEpoch(turnId, frame.epoch)
    const standing = this.#open.get(partId)
    const known = standing?.text ?? ''
    if (offset > known.length) return [...changes, ...this.#gap(frame, standing)]
    // The same text again must not cut off what came after it; at the very start it may be a text that begins anew.
    if (offset > 0 && offset < known.length && known.startsWith(delta, offset)) return changes
    // Appending keeps long texts cheap; slicing would copy them.
    const text = offset === known.length ? known + delta : known.slice(0, offset) + delta
    this.#open.set(partId, openPart(frame, text, false))
    return [...changes, { type: 'delta', value: { turnId, partId, partType, offset, delta, text } }]
  }

  #gap(frame: FrameOf<'delta'>, standing: StreamPart | undefined): StreamChange[] {
    if (standing?.gap) return []
    this.#open.set(frame.partId, openPart(frame, standing?.text ?? '', true))
    return [{ type: 'gap', value: { turnId: frame.turnId, partId: frame.partId } }]
  }

  #retract({ turnId, epoch, partIds }: FrameOf<'retract'>): StreamChange[] {
    if (epoch < (this.turns.get(turnId)?.epoch ?? epoch)) return []
    const raised = this.#raiseEpoch(turnId, epoch)
    return [...raised, ...this.#remove(turnId, (part) => partIds === undefined || partIds.includes(part.partId))]
  }

  #turn(frame: FrameOf<'turn'>): StreamChange[] {
    const { turnId, epoch, turnState, step, actor } = frame
    const standing = this.turns.get(turnId)
    if (standing !== undefined && isOlder(frame, standing)) return []
    const raised = this.#raiseEpoch(turnId, epoch)
    const value: StreamTurn = {
      ...this.#turnOf(turnId, epoch),
      turnState,
      ...(step === undefined ? {} : { step }),
      ...(actor === undefined ? {} : { actor }),
    }
    this.turns.set(turnId, value)
    const removed = step === undefined ? [] : this.#remove(turnId, (part) => stepOf(part.partId) <= step)
    return [...raised, ...removed, { type: 'turn', value }]
  }

  #settled({ turnId, turnState, finalizedBy }: FrameOf<'settled'>): StreamChange[] {
    const standing = this.#turnOf(turnId, 0)
    if (standing.settled) return []
    const value: StreamTurn = { ...standing, turnState, finalizedBy, settled: true }
    this.turns.set(turnId, value)
    return [...this.#remove(turnId, () => true), ...this.#undecided(turnId), { type: 'settled', value }]
  }

  /** The first decision counts, unless what was asked does not any more. */
  #decision(value: StreamDecision): StreamChange[] {
    const { approvalId, outcome } = value
    const standing = this.approvals.get(approvalId)
    if (standing === outcome || (standing !== undefined && outcome !== 'void')) return []
    this.approvals.set(approvalId, outcome)
    this.decisions.set(approvalId, value)
    return [{ type: 'decision', value }]
  }

  /** The requests of an ended turn can no longer be decided. */
  #undecided(turnId: string): StreamChange[] {
    const asked = this.committed.filter((part) => part.turnId === turnId && part.partType === 'approval-request')
    const ids = asked.map(({ data }) => (data as { approvalId?: string } | undefined)?.approvalId ?? '')
    const open = ids.filter((id) => id !== '' && !this.approvals.has(id))
    return open.flatMap((approvalId) => this.#decision({ turnId, approvalId, outcome: 'void' }))
  }

  #moved({ seq, coordinates, shown }: FrameOf<'state'>): StreamChange[] {
    if (seq <= this.#stateSeq) return []
    this.#stateSeq = seq
    const isFirst = shown !== undefined && this.began === undefined
    if (isFirst) this.began = { seq, shown }
    if (!isFirst && JSON.stringify(coordinates) === JSON.stringify(this.state)) return []
    this.state = coordinates
    return [{ type: 'state', value: coordinates }]
  }

  #turnOf(turnId: string, epoch: number): StreamTurn {
    return this.turns.get(turnId) ?? { turnId, epoch, settled: false }
  }

  /** A higher epoch is another host: what the former one had not made durable is gone. */
  #raiseEpoch(turnId: string, epoch: number): StreamChange[] {
    const standing = this.turns.get(turnId)
    if (standing !== undefined && epoch <= standing.epoch) return []
    this.turns.set(turnId, { ...this.#turnOf(turnId, epoch), epoch })
    return this.#remove(turnId, () => true)
  }

  #isPast({ turnId, partId, epoch }: FrameOf<'delta'>): boolean {
    if (this.#committedIds.has(partId)) return true
    const turn = this.turns.get(turnId)
    if (turn === undefined) return false
    return turn.settled || epoch < turn.epoch || stepOf(partId) <= (turn.step ?? -1)
  }

  #remove(turnId: string, isGone: (part: StreamPart) => boolean): StreamChange[] {
    const gone = [...this.#open.values()].filter((part) => part.turnId === turnId && isGone(part))
    if (gone.length === 0) return []
    for (const part of gone) this.#open.delete(part.partId)
    return [{ type: 'retract', value: { turnId, partIds: gone.map((part) => part.partId) } }]
  }
}

function openPart(frame: FrameOf<'delta'>, text: string, gap: boolean): StreamPart {
  const { turnId, partId, partType, origin } = frame
  const metadata = origin === undefined ? { partType } : { partType, origin }
  return { ...toReaderPart({ text, metadata }), partId, role: 'agent', turnId, open: true, gap }
}

// A replay tells of states that the turn has long left.
function isOlder(frame: FrameOf<'turn'>, standing: StreamTurn): boolean {
  if (standing.settled || frame.epoch < standing.epoch) return true
  return frame.epoch === standing.epoch && (frame.step ?? -1) < (standing.step ?? -1)
}

// Ids are `turn.step.index`; core's parser is not imported, so that a browser can load this file as it is.
function placeOf(partId: string): { step: number; index: number } {
  const match = /\.(\d+)\.(\d+)$/.exec(partId)
  if (match === null) return { step: Number.MAX_SAFE_INTEGER, index: 0 }
  return { step: Number(match[1]), index: Number(match[2]) }
}

function stepOf(partId: string): number {
  return placeOf(partId).step
}

function byPlace(one: StreamPart, other: StreamPart): number {
  if (one.turnId !== other.turnId) return 0
  const a = placeOf(one.partId)
  const b = placeOf(other.partId)
  return a.step - b.step || a.index - b.index
}
