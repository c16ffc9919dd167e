import type { Part } from '@cool-ai/beach-core'
import type { SessionEvent } from '@cool-ai/beach-core/log'
import type {
  Difference,
  NotRecorded,
  ReplayedCall,
  ReplayedEnd,
  ReplayedUsage,
  ReplayReport,
  TurnDifference,
} from '@cool-ai/beach-core/ports'
import { approvalRequestSchema } from '@cool-ai/beach-protocol/parts'
import { aligned, differences } from './differences.ts'

/** A turn's events, and the messages that it answers. */
interface TurnLog {
  readonly turnId: string
  readonly asked: string
  readonly events: readonly SessionEvent[]
}

/** The difference of a log and its replay, from a place on, turn by turn. */
export function differenceOf(
  recorded: readonly SessionEvent[],
  replayed: readonly SessionEvent[],
  from: number,
  notRecorded: readonly NotRecorded[],
): Pick<ReplayReport, 'same' | 'events' | 'turns'> {
  const [before, after] = [turnsOf(recorded, from), turnsOf(replayed, from)]
  const turns = aligned(before, after, ({ turnId }) => turnId).map(([one, other]) => {
    return turnDifference(one, other, notRecorded)
  })
  const [old, now] = [recorded.slice(from), replayed.slice(from)].map(comparable)
  const same = JSON.stringify(old) === JSON.stringify(now)
  return { same, events: { recorded: recorded.length - from, replayed: replayed.length - from }, turns }
}

function turnDifference(
  one: TurnLog | undefined,
  other: TurnLog | undefined,
  lacks: readonly NotRecorded[],
): TurnDifference {
  const { turnId, asked } = one ?? other ?? { turnId: '', asked: '' }
  const [before, after] = [one?.events ?? [], other?.events ?? []]
  const parts = differences(
    partsOf(before),
    partsOf(after),
    (part) => keyOf(stable(part)),
    kindOf,
    ({ text }) => text,
  )
  const tools = differences(callsOf(before), callsOf(after), keyOf, ({ name }) => name)
  const states = differences(statesOf(before), statesOf(after), (text) => text, coordinateOf)
  const end = whole(one && endOf(before), other && endOf(after))
  const actors = whole(one && actorsOf(before), other && actorsOf(after))
  const notRecorded = lacks.filter((lack) => lack.turnId === turnId)
  const others = otherDifferences(before, after)
  const all: readonly Difference<unknown>[] = [...parts, ...tools, ...states, end, actors]
  const isSame = all.every(({ change }) => change === 'same') && others.length === 0
  const change = one === undefined ? 'added' : other === undefined ? 'removed' : isSame ? 'same' : 'changed'
  const usage = { recorded: usageOf(before), replayed: usageOf(after) }
  const prompt = promptChange(before, after)
  return { turnId, change, asked, actors, end, parts, tools, states, usage, prompt, others, notRecorded }
}

/** The turns that begin at a place or later. */
function turnsOf(events: readonly SessionEvent[], from: number): TurnLog[] {
  const messages = new Map<string, string>()
  const turns = new Map<string, { turnId: string; asked: string; events: SessionEvent[] }>()
  for (const [place, event] of events.entries()) {
    if (event.type === 'messageReceived') messages.set(event.messageId, textOf(event.payload?.parts ?? []))
    if (!('turnId' in event) || event.turnId === undefined) continue
    if (event.type === 'turnStarted' && place >= from) {
      const asked = event.messageIds.map((id) => messages.get(id) ?? 'a result of work in parallel').join('\n')
      turns.set(event.turnId, { turnId: event.turnId, asked, events: [] })
    }
    turns.get(event.turnId)?.events.push(event)
  }
  return [...turns.values()]
}

function textOf(parts: readonly Part[]): string {
  return parts.map(({ text, metadata }) => text ?? `(${metadata.partType})`).join('\n')
}

function partsOf(events: readonly SessionEvent[]): Part[] {
  return events.flatMap((event) => (event.type === 'partReceived' && event.payload ? [event.payload.part] : []))
}

/** The calls in the order in which they began, and then those that an approval was asked for and that never began. */
function callsOf(events: readonly SessionEvent[]): ReplayedCall[] {
  const ends = new Map<string, Extract<SessionEvent, { type: 'toolFinished' }>>()
  for (const event of events) if (event.type === 'toolFinished') ends.set(event.callId, event)
  const begun = events.flatMap((event): ReplayedCall[] => {
    if (event.type !== 'toolStarted') return []
    const end = ends.get(event.callId)
    const value = end?.payload?.value
    const call = { name: event.name, args: event.payload?.args, outcome: end?.outcome ?? 'unfinished' }
    return [value === undefined ? call : { ...call, value }]
  })
  const asked = partsOf(events).flatMap((part): ReplayedCall[] => {
    const request = approvalRequestSchema.safeParse(part.data).data
    if (part.metadata.partType !== 'approval-request' || request === undefined) return []
    const decided = events.find((event) => event.type === 'approvalDecided' && event.approvalId === request.approvalId)
    if (decided?.type === 'approvalDecided' && decided.decision === 'granted') return []
    const { toolName: name, args } = request
    return [{ name, args, outcome: decided === undefined ? 'asked' : 'denied' }]
  })
  return [...begun, ...asked]
}

function statesOf(events: readonly SessionEvent[]): string[] {
  return events.flatMap((event) => {
    if (event.type === 'stateTransitionRejected') return [`refused: ${event.reason}`]
    if (event.type !== 'stateChanged') return []
    return event.transitions.map(({ coordinate, to }) => `${coordinate} = ${to}`)
  })
}

function coordinateOf(change: string): string {
  return change.split(' = ', 1)[0] ?? change
}

function endOf(events: readonly SessionEvent[]): ReplayedEnd {
  const settled = events.find((event) => event.type === 'turnSettled')
  if (settled?.type === 'turnSettled') return { turnState: settled.turnState, finalizedBy: settled.finalizedBy }
  const last = events.findLast((event) => event.type === 'turnStateChanged')
  return { turnState: last?.type === 'turnStateChanged' ? last.turnState : 'awaiting' }
}

function actorsOf(events: readonly SessionEvent[]): string[] {
  return events.flatMap((event) => {
    if (event.type === 'turnStarted') return [event.actor]
    return event.type === 'turnStateChanged' && event.passTo !== undefined ? [event.passTo] : []
  })
}

function usageOf(events: readonly SessionEvent[]): ReplayedUsage {
  let sum: ReplayedUsage = { calls: 0, inputTokens: 0, outputTokens: 0 }
  for (const event of events) {
    if (event.type !== 'actorNoted' || event.kind !== 'usage') continue
    const used = (event.payload?.value ?? {}) as Partial<ReplayedUsage>
    const cost = used.cost === undefined && sum.cost === undefined ? {} : { cost: (sum.cost ?? 0) + (used.cost ?? 0) }
    sum = {
      calls: sum.calls + 1,
      inputTokens: sum.inputTokens + (used.inputTokens ?? 0),
      outputTokens: sum.outputTokens + (used.outputTokens ?? 0),
      ...cost,
    }
  }
  return sum
}

function promptChange(before: readonly SessionEvent[], after: readonly SessionEvent[]): TurnDifference['prompt'] {
  const [one, other] = [before, after].map((events) => {
    return events.flatMap((event) => (event.type === 'actorNoted' && event.kind === 'prompt' ? [event.payload] : []))
  })
  if (one?.length === 0 || other?.length === 0) return 'unknown'
  return JSON.stringify(one) === JSON.stringify(other) ? 'same' : 'changed'
}

const shown: ReadonlySet<string> = new Set([
  'partReceived',
  'stateChanged',
  'toolStarted',
  'toolFinished',
  'turnSettled',
  'turnStarted',
])

/** The types of events of which one log has others, where nothing else of the report shows it. */
function otherDifferences(before: readonly SessionEvent[], after: readonly SessionEvent[]): string[] {
  const [one, other] = [before, after].map((events) => comparable(events).map((event) => JSON.stringify(event)))
  const found = aligned(one ?? [], other ?? [], (text) => text).flatMap(([left, right]) => {
    const text = left === undefined || right === undefined ? (left ?? right) : undefined
    return text === undefined ? [] : [(JSON.parse(text) as SessionEvent).type]
  })
  return [...new Set(found)].filter((type) => !shown.has(type))
}

function whole<Thing>(one: Thing | undefined, other: Thing | undefined): Difference<Thing> {
  if (one === undefined) return { change: 'added', replayed: other }
  if (other === undefined) return { change: 'removed', recorded: one }
  const isSame = JSON.stringify(one) === JSON.stringify(other)
  return { change: isSame ? 'same' : 'changed', recorded: one, replayed: other }
}

/** Events by type and content: without their ids, times, what is derived from their content, and prompts. */
function comparable(events: readonly SessionEvent[]): unknown[] {
  return events
    .filter((event) => event.type !== 'actorNoted' || event.kind !== 'prompt')
    .map((event) => {
      const { payload, ...header } = event as SessionEvent & { readonly payload?: unknown }
      return sorted({ ...(without(header, unstable) as object), payload: contentOf(event, payload) })
    })
}

const unstable = ['id', 'v', 'at', 'hash', 'since', 'expiresAt', 'retryAt', 'deadline', 'process'] as const

function contentOf(event: SessionEvent, payload: unknown): unknown {
  switch (event.type) {
    case 'partReceived':
      return event.payload && { part: stable(event.payload.part) }
    case 'actorNoted':
      return event.kind === 'usage' ? without(event.payload?.value, ['ms', 'firstTokenMs', 'cost']) : payload
    case 'stepCommitted': {
      const { answer } = event.payload ?? {}
      if (typeof answer !== 'object' || answer === null || !('usage' in answer)) return payload
      return { answer: { ...answer, usage: without(answer.usage, ['cost']) } }
    }
    default:
      return payload
  }
}

/** A part without times that a later run has others of. */
function stable(part: Part): Part {
  const { metadata, data } = part
  const about = without(metadata, ['callHash', 'retryAt']) as Part['metadata']
  if (metadata.partType !== 'approval-request') return { ...part, metadata: about }
  return { ...part, metadata: about, data: without(data, ['expiresAt']) }
}

function without(value: unknown, names: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))
}

/** The same with its members in the order of their names. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sorted)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(
    members.toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([n, m]) => [n, sorted(m)]),
  )
}

function keyOf(thing: unknown): string {
  return JSON.stringify(sorted(thing))
}

function kindOf({ metadata }: Part): string {
  return metadata.partType
}
