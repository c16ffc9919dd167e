import { dollars } from '../domain/money.ts'

/** A part of the conversation, as far as the transcript is concerned. */
export interface TranscriptPart {
  readonly partId: string
  readonly role: 'user' | 'agent'
  readonly partType: string
  readonly text?: string
  readonly data?: unknown
}

/** Something that the shop suggests to do next. */
interface Suggestion {
  readonly intentId: string
  readonly props: Values
  readonly label: string
}

/** What stands in the transcript, in order. */
export type Entry =
  | { readonly kind: 'said'; readonly key: string; readonly role: 'user' | 'agent'; readonly text: string }
  | { readonly kind: 'flow'; readonly key: string; readonly instanceId: string }
  | { readonly kind: 'ended'; readonly key: string; readonly text: string; readonly next?: Suggestion | undefined }
  | { readonly kind: 'problem'; readonly key: string; readonly text: string }

type Values = Readonly<Record<string, unknown>>

/** What is known of a flow from its events. */
interface FlowRecord {
  readonly intentId: string
  readonly props: Values
  context: Values
  state: string
  followUp?: { readonly intentId: string; readonly props?: Values }
}

const suggestions: Readonly<Record<string, string>> = { 'order.track': 'Track it' }

/** The transcript of a conversation: words, flows that are open in it, and what became of those that are over. */
export function transcriptOf(parts: readonly TranscriptPart[]): readonly Entry[] {
  const flows = new Map<string, FlowRecord>()
  const opened: Values[] = []
  /** The orders that were cancelled here: the user is told once. */
  const taken = new Set<unknown>()
  const entries: Entry[] = []
  for (const { partId: key, role, partType, text, data } of parts) {
    const value = (data ?? {}) as Values
    const instanceId = String(value.instanceId)
    const flow = flows.get(instanceId)
    if (partType === 'intentflow.render') {
      const { intentId, props, context, state } = value as unknown as FlowRecord
      flows.set(instanceId, { intentId, props, context, state })
      opened.push({ intentId, ...props })
      if (value.displayMode === 'inline') entries.push({ kind: 'flow', key, instanceId })
    } else if (partType === 'intentflow.transition' && flow !== undefined) {
      flow.state = String(value.toState)
      flow.context = { ...flow.context, ...(value.context as Values | undefined) }
      if (value.followUp !== undefined) flow.followUp = value.followUp as NonNullable<FlowRecord['followUp']>
    } else if (partType === 'intentflow.dismiss' && flow !== undefined) {
      const at = entries.findIndex((entry) => entry.kind === 'flow' && entry.instanceId === instanceId)
      if (at !== -1) entries.splice(at, 1)
      const words = endOf(flow)
      const next = suggestionOf(flow)
      const isNotified = flow.intentId === 'order.track' && taken.has(flow.props.orderId)
      if (flow.intentId === 'order.cancel' && flow.state === 'cancelled') taken.add(flow.props.orderId)
      if (words !== undefined && !isNotified) entries.push({ kind: 'ended', key, text: words, next })
    } else if (partType === 'intentflow.error' && value.instanceId === undefined) {
      entries.push({ kind: 'problem', key, text: String(value.message) })
    } else if (text !== undefined && text !== '' && !partType.startsWith('intentflow.')) {
      entries.push({ kind: 'said', key, role, text })
    }
  }
  return entries.map((entry) => (entry.kind === 'ended' ? withoutTaken(entry, opened) : entry))
}

/** What became of a flow; undefined when the user need not be told. */
function endOf({ intentId, props, context, state }: FlowRecord): string | undefined {
  const number = String(props.confirmationNumber ?? context.confirmationNumber)
  switch (`${intentId} ${state}`) {
    case 'order.place confirmed':
      return `Order ${number} is placed, ${dollars(Number(context.total))}.`
    case 'order.track collected':
      return `Order ${number} is collected. Enjoy!`
    case 'order.track cancelled':
      return `Order ${number} was cancelled.`
    case 'order.cancel cancelled':
      return `Order ${number} is cancelled. ${dollars(Number(props.total))} go back to ${String(props.refundTo)}.`
    case 'account.update_payment saved':
      return `You pay with ${String(context.label)} now.`
    default:
      return intentId === 'order.place' ? 'The order was not placed.' : undefined
  }
}

function suggestionOf({ followUp }: FlowRecord): Suggestion | undefined {
  if (followUp === undefined) return undefined
  const { intentId, props = {} } = followUp
  return { intentId, props, label: suggestions[intentId] ?? intentId }
}

/** A suggestion that the user has taken is removed. */
function withoutTaken(entry: Extract<Entry, { kind: 'ended' }>, opened: readonly Values[]): Entry {
  const { next } = entry
  const isTaken = opened.some(
    (flow) =>
      flow.intentId === next?.intentId && Object.entries(next?.props ?? {}).every(([name, one]) => flow[name] === one),
  )
  if (!isTaken) return entry
  const { next: _, ...rest } = entry
  return rest
}
