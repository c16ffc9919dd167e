import type { Coordinates, Frame, Part } from '@cool-ai/beach-core'
import type { ApprovalOutcome } from '@cool-ai/beach-core/ports'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buildEnvelope } from './build-envelope.ts'
import { EnvelopeStream } from './stream.ts'

type Live = Extract<Frame, { kind: 'delta' | 'retract' }>

/** A session as its host sees it: the log, and the text of the step that is open. */
class Host {
  readonly log: Frame[] = []
  /** Live frames that a connection may still deliver, late or twice. */
  late: Live[] = []
  open = new Map<string, string>()
  #turn = 0
  #step = 0
  #epoch = 1
  #running = false
  /** Approvals that can still be decided, and how the others ended. */
  readonly pending = new Set<string>()
  readonly decided = new Map<string, ApprovalOutcome>()
  coordinates: Coordinates = { 'trip.stage': '0' }
  readonly #send: (frame: Frame) => void

  constructor(send: (frame: Frame) => void) {
    this.#send = send
  }

  get #turnId(): string {
    return `turn_${this.#turn}`
  }

  #append(frame: Frame): void {
    const durable = { ...frame, cursor: String(this.log.length + 1) } as Frame
    this.log.push(durable)
    this.#send(durable)
  }

  say(text: string): void {
    const part: Part = { text, metadata: { partType: 'message' } }
    this.#append({ kind: 'part', role: 'user', partId: `msg_${this.log.length}.0`, part, at: 0 })
  }

  start(): void {
    if (this.#running) return
    this.#running = true
    this.#turn += 1
    this.#step = 0
    this.#append({ kind: 'turn', turnId: this.#turnId, epoch: this.#epoch, turnState: 'awaiting' })
  }

  grow(index: number, text: string): Live {
    this.start()
    const partId = `${this.#turnId}.${this.#step}.${index}`
    const known = this.open.get(partId) ?? ''
    this.open.set(partId, known + text)
    return this.#live(partId, known.length, text)
  }

  #live(partId: string, offset: number, text: string): Live {
    return { kind: 'delta', epoch: this.#epoch, turnId: this.#turnId, partId, partType: 'response', offset, text }
  }

  retract(): void {
    if (!this.#running) return
    this.open.clear()
    this.late = this.late.filter((frame) => frame.turnId !== this.#turnId || frame.epoch !== this.#epoch)
    this.#send({ kind: 'retract', turnId: this.#turnId, epoch: this.#epoch })
  }

  /** The host dies and another one goes on. */
  takeOver(): void {
    if (!this.#running) return
    this.#epoch += 1
    this.open.clear()
    this.#append({ kind: 'retract', turnId: this.#turnId, epoch: this.#epoch })
    this.#append({ kind: 'turn', turnId: this.#turnId, epoch: this.#epoch, turnState: 'awaiting' })
  }

  commit(keep: number, data: unknown): void {
    if (!this.#running) return
    // A step may commit fewer parts than it showed.
    for (const [partId, text] of [...this.open].slice(0, keep))
      this.#part(partId, { text, metadata: { partType: 'response' } })
    const metadata = { partType: 'domain-data', slotKey: 'data', mergeStrategy: 'append' } as const
    this.#part(`${this.#turnId}.${this.#step}.9`, { data, metadata })
    this.#append({ kind: 'turn', turnId: this.#turnId, epoch: this.#epoch, turnState: 'awaiting', step: this.#step })
    this.open.clear()
    this.#step += 1
  }

  #part(partId: string, part: Part): void {
    this.#append({ kind: 'part', role: 'agent', partId, turnId: this.#turnId, turnState: 'awaiting', part, at: 0 })
  }

  ask(): void {
    this.start()
    const approvalId = `approval_${this.log.length}`
    this.pending.add(approvalId)
    const partId = `${this.#turnId}.${this.#step}.${10 + this.log.length}`
    this.#part(partId, { data: { approvalId }, metadata: { partType: 'approval-request' } })
  }

  /** What is decided first counts, until it is void. */
  decide(which: number, outcome: ApprovalOutcome): void {
    const open = outcome === 'void' ? [...this.pending, ...this.decided.keys()] : [...this.pending]
    const approvalId = open[which % Math.max(open.length, 1)]
    if (!this.#running || approvalId === undefined || this.decided.get(approvalId) === 'void') return
    this.pending.delete(approvalId)
    this.decided.set(approvalId, outcome)
    this.#append({ kind: 'decision', turnId: this.#turnId, approvalId, outcome, at: 0 })
  }

  move(): void {
    this.coordinates = { 'trip.stage': String(this.log.length + 1) }
    this.#append({ kind: 'state', seq: this.log.length + 1, coordinates: this.coordinates })
  }

  settle(): void {
    if (!this.#running) return
    this.commit(9, 'last')
    this.#append({ kind: 'settled', turnId: this.#turnId, turnState: 'complete', finalizedBy: 'complete', at: 0 })
    for (const approvalId of this.pending) this.decided.set(approvalId, 'void')
    this.pending.clear()
    this.#running = false
  }

  /** What a new connection is sent: the state, the log after a cursor, then the open text so far. */
  replay(after: string | undefined): void {
    this.#send({ kind: 'state', seq: this.log.length, coordinates: this.coordinates })
    for (const frame of this.log.slice(Number(after ?? 0))) this.#send(frame)
    for (const [partId, text] of this.open) this.#send(this.#live(partId, 0, text))
  }
}

type Action =
  | { do: 'say' | 'start' | 'retract' | 'takeOver' | 'settle' | 'reconnect' | 'replay' | 'ask' | 'move' }
  | { do: 'decide'; which: number; outcome: ApprovalOutcome }
  | { do: 'grow'; index: number; text: string; lost: boolean }
  | { do: 'late'; which: number }
  | { do: 'commit'; keep: number; data: number }

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('grow' as const),
      index: fc.nat(2),
      text: fc.string({ minLength: 1, maxLength: 3 }),
      lost: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('late' as const), which: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('commit' as const), keep: fc.nat(3), data: fc.nat() }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('say', 'start', 'retract', 'takeOver', 'settle', 'reconnect', 'replay', 'ask', 'move'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('decide' as const),
      which: fc.nat(),
      outcome: fc.constantFrom('granted', 'denied', 'expired', 'void'),
    }),
  },
)

function perform(item: Action, host: Host, stream: EnvelopeStream): void {
  switch (item.do) {
    case 'say':
      return host.say('Hi.')
    case 'start':
      return host.start()
    case 'retract':
      return host.retract()
    case 'takeOver':
      return host.takeOver()
    case 'settle':
      return host.settle()
    case 'reconnect':
      return host.replay(stream.lastCursor)
    case 'replay':
      return host.replay(undefined)
    case 'ask':
      return host.ask()
    case 'decide':
      return host.decide(item.which, item.outcome)
    case 'move':
      return host.move()
    case 'commit':
      return host.commit(item.keep, item.data)
    case 'grow': {
      const frame = host.grow(item.index, item.text)
      host.late.push(frame)
      return item.lost ? undefined : stream.apply(frame)
    }
    case 'late': {
      const frame = host.late[item.which % Math.max(host.late.length, 1)]
      return frame === undefined ? undefined : stream.apply(frame)
    }
  }
}

describe('whatever a connection does to the frames', () => {
  test('the durable parts are those of the log, each told once, and open text is never wrong', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 40 }), (actions) => {
        const stream = new EnvelopeStream()
        const reported: string[] = []
        stream.on('part', (part) => reported.push(part.partId))
        const host = new Host((frame) => stream.apply(frame))
        for (const item of actions) {
          perform(item, host, stream)
          for (const part of stream.parts.filter(({ open }) => open)) {
            const truth = host.open.get(part.partId)
            expect(truth).toBeDefined()
            expect(truth?.startsWith(part.text ?? '?')).toBe(true)
          }
        }
        const logged = host.log.filter((frame) => frame.kind === 'part')
        const durable = stream.parts.filter(({ open }) => !open)
        expect(durable.map(({ partId, text, data }) => [partId, text, data])).toEqual(
          logged.map(({ partId, part }) => [partId, part.text, part.data]),
        )
        expect(reported).toEqual(logged.map(({ partId }) => partId))
      }),
      { numRuns: 500 },
    )
  })

  test('after a reconnect everything is there', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 40 }), (actions) => {
        const stream = new EnvelopeStream()
        const host = new Host((frame) => stream.apply(frame))
        for (const item of actions) perform(item, host, stream)
        host.replay(stream.lastCursor)
        const open = stream.parts.filter((part) => part.open).map(({ partId, text }) => [partId, text])
        expect(Object.fromEntries(open)).toEqual(Object.fromEntries(host.open))
        expect(stream.gaps.size).toBe(0)
      }),
      { numRuns: 500 },
    )
  })

  test('decisions and state are those of the log, and each change is told once', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 40 }), (actions) => {
        const stream = new EnvelopeStream()
        const host = new Host((frame) => stream.apply(frame))
        const reported: string[] = []
        const states: string[] = []
        stream.on('decision', ({ approvalId, outcome }) => reported.push(`${approvalId} ${outcome}`))
        stream.on('state', (coordinates) => states.push(coordinates['trip.stage'] ?? ''))
        for (const item of actions) {
          perform(item, host, stream)
          expect(new Map(stream.approvals)).toEqual(host.decided)
        }
        host.replay(undefined)
        expect(new Map(stream.approvals)).toEqual(host.decided)
        expect(new Set(reported).size).toBe(reported.length)
        expect(stream.state).toEqual(host.coordinates)
        expect(states).toEqual(states.toSorted((one, other) => Number(one) - Number(other)))
        expect(new Set(states).size).toBe(states.length)
      }),
      { numRuns: 500 },
    )
  })

  test('a settled turn has the same envelope as the log', () => {
    const clock = { now: () => 0, timer: () => () => {} }
    const envelopeOf = (parts: readonly Part[]) =>
      buildEnvelope({ sessionId: 'sess_1', turnId: 'turn_1', parts }, { clock })
    fc.assert(
      fc.property(fc.array(action, { maxLength: 40 }), (actions) => {
        const stream = new EnvelopeStream()
        const host = new Host((frame) => stream.apply(frame))
        for (const item of [...actions, { do: 'start' }, { do: 'settle' }] as const) perform(item, host, stream)
        for (const { turnId, settled } of stream.turns) {
          expect(settled).toBe(true)
          const logged = host.log.flatMap((frame) =>
            frame.kind === 'part' && frame.turnId === turnId ? [frame.part] : [],
          )
          const seen = stream.parts.filter((part) => part.turnId === turnId)
          expect(envelopeOf(seen)).toEqual(envelopeOf(logged))
        }
      }),
      { numRuns: 300 },
    )
  })
})
