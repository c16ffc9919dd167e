import type { Frame } from '@cool-ai/beach-core'
import { defined, parsePartId } from '@cool-ai/beach-core/runtime'
import { askedApproval, EnvelopeStream, type StreamPart } from '@cool-ai/beach-protocol'
import type { ToolApproval, ToolOutcome, ToolPart } from './ui-message.ts'
import { uiPartsOf, type KeyedPart } from './ui-parts.ts'

type FrameOf<Kind extends Frame['kind']> = Extract<Frame, { kind: Kind }>

/** A step of a turn: what it has said, then what it has called. */
export interface MessageStep {
  readonly step: number
  readonly parts: readonly KeyedPart[]
}

interface Call extends Omit<ToolPart, 'type'> {
  readonly step: number
}

const outcomeWords = { ok: 'Done.', failed: 'Failed.', unknown: 'Whether this took effect is not known.' } as const
/** The step of calls that the page has from before. */
const before = -1
const neverDone = 'The turn ended before this was done.'

/** One turn as one message of the assistant, folded from its frames. */
export class TurnMessage {
  readonly #stream = new EnvelopeStream()
  /** The originator whose client it is for. */
  readonly #viewer: string
  readonly #calls = new Map<string, Call>()
  /** Calls as the log has them that were asked for before they began: under the ids that the model gave them. */
  readonly #asked = new Map<string, string>()
  readonly #steps = new Map<string, number>()
  #step = 0
  turnId: string | undefined
  cursor: string | undefined
  /** How the turn has ended. */
  settled: FrameOf<'settled'> | undefined
  /** What a turn that ended in an error says of it. */
  error: string | undefined

  /** `known` are the calls of the turn that the page has from before. */
  constructor(viewer: string, known: readonly ToolPart[] = []) {
    this.#viewer = viewer
    for (const { type: _, ...call } of known) this.#calls.set(call.toolCallId, { ...call, step: before })
  }

  apply(frame: Frame): void {
    this.turnId ??= frame.turnId
    if (frame.cursor !== undefined) this.cursor = frame.cursor
    this.#stream.apply(frame)
    switch (frame.kind) {
      case 'delta':
        this.#place(frame.partId)
        break
      case 'part':
        this.#place(frame.partId)
        this.#part(frame)
        break
      case 'call':
        this.#called(frame)
        break
      case 'result':
        this.#end(this.#asked.get(frame.callId) ?? frame.callId, this.#outcomeOf(frame))
        break
      case 'decision':
        this.#decided(frame)
        break
      case 'settled':
        this.settled = frame
        for (const [callId, { outcome }] of this.#calls) {
          if (outcome === undefined) this.#end(callId, { kind: 'error', errorText: neverDone })
        }
        break
      default:
        break
    }
  }

  /** The message as it stands. */
  steps(): readonly MessageStep[] {
    const steps = new Map<number, KeyedPart[]>()
    const add = (step: number, parts: readonly KeyedPart[]) => {
      steps.set(step, [...(steps.get(step) ?? []), ...parts])
    }
    for (const part of this.#stream.parts) if (isShown(part)) add(this.#steps.get(part.partId) ?? 0, uiPartsOf(part))
    for (const [key, { step, ...call }] of this.#calls) add(step, [{ key, part: { type: 'dynamic-tool', ...call } }])
    return [...steps].toSorted(([one], [other]) => one - other).map(([step, parts]) => ({ step, parts: latest(parts) }))
  }

  #place(partId: string): void {
    const step = parsePartId(partId)?.step ?? this.#step
    this.#step = Math.max(this.#step, step)
    if (!this.#steps.has(partId)) this.#steps.set(partId, step)
  }

  #part({ part, turnState }: FrameOf<'part'>): void {
    if (part.metadata.partType === 'error' && turnState === 'error') this.error = part.text
    const asked = askedApproval(part)
    if (asked === undefined) return
    const { request, title, summary, risk, details, isAdmin } = asked
    const { approvalId: id, toolCallId, toolName, args: input, expiresAt } = request
    const facts = details.map(({ label, value }) => ({ label, value }))
    const level = isAdmin ? 'admin' : undefined
    const descriptor = defined({
      title,
      summary,
      risk,
      level,
      expiresAt,
      details: facts.length > 0 ? facts : undefined,
    })
    const known = this.#calls.get(toolCallId)
    const call = { step: this.#step, toolCallId, toolName, input, providerExecuted: true, ...known, title }
    this.#calls.set(toolCallId, { ...call, approval: { id, descriptor } })
  }

  #called({ callId: toolCallId, name: toolName, args: input = {}, client }: FrameOf<'call'>): void {
    const asked = this.#askedFor(toolName)
    if (asked !== undefined) return void this.#asked.set(toolCallId, asked)
    const known = this.#calls.get(toolCallId)
    const providerExecuted = client !== this.#viewer
    const call = { step: this.#step, toolCallId, toolName, ...known, input: known?.input ?? input, providerExecuted }
    this.#calls.set(toolCallId, call)
  }

  /** The granted call of a tool that has not begun; calls begin in the order in which they were asked for. */
  #askedFor(name: string): string | undefined {
    const begun = new Set(this.#asked.values())
    const calls = [...this.#calls.values()].filter(({ toolCallId }) => !begun.has(toolCallId))
    return calls.find(({ toolName, approval, outcome }) => {
      return toolName === name && approval?.approved === true && outcome === undefined
    })?.toolCallId
  }

  #decided({ approvalId, outcome }: FrameOf<'decision'>): void {
    const call = [...this.#calls.values()].find(({ approval }) => approval?.id === approvalId)
    if (call?.approval === undefined) return
    const approved = outcome === 'granted'
    const approval: ToolApproval = { ...call.approval, approved, ...(outcome === 'expired' && { reason: 'expired' }) }
    this.#calls.set(call.toolCallId, { ...call, approval })
    if (!approved) this.#end(call.toolCallId, { kind: 'denied' })
  }

  /** The first end counts. */
  #end(callId: string, outcome: ToolOutcome): void {
    const call = this.#calls.get(callId)
    if (call !== undefined && call.outcome === undefined) this.#calls.set(callId, { ...call, outcome })
  }

  #outcomeOf({ outcome, value }: FrameOf<'result'>): ToolOutcome {
    if (outcome === 'ok') return { kind: 'output', output: value ?? outcomeWords.ok }
    const errorText =
      typeof value === 'string' ? value : value === undefined ? outcomeWords[outcome] : JSON.stringify(value)
    return { kind: 'error', errorText }
  }
}

/** Requests are shown with the call that they are for, and the error that ends a turn with its end. */
function isShown({ role, partType, turnState }: StreamPart): boolean {
  return role === 'agent' && partType !== 'approval-request' && !(partType === 'error' && turnState === 'error')
}

/** Of parts with one key the last one, in the place of the first. */
function latest(parts: readonly KeyedPart[]): readonly KeyedPart[] {
  return [...new Map(parts.map((keyed) => [keyed.key, keyed])).values()]
}
