import type { Frame, Part, PartTypeRegistry } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import { askedApproval, citationSchema, EnvelopeStream, type StreamPart } from '@cool-ai/beach-protocol'
import { approvalArguments, approvalToolName, approvalWords } from '../requests/approval-tool.ts'
import type { AnswerItem, AnswerSource } from './answer-item.ts'
import { callIdOf, type AnswerRef } from './answer-ref.ts'

type FrameOf<Kind extends Frame['kind']> = Extract<Frame, { kind: Kind }>

/** How an answer is made of its frames. */
export interface AnswerOptions {
  readonly ref: AnswerRef
  readonly viewer: string
  readonly partTypes: Pick<PartTypeRegistry, 'get'>
}

type Entry = { readonly partId: string } | { readonly item: AnswerItem }

const beside: ReadonlySet<string> = new Set(['thinking', 'ack', 'progress'])
const said: ReadonlySet<string> = new Set(['response', 'clarify', 'error', 'a2ui-surface', 'artifact'])

/** One answer as items, folded from the frames of its turn. */
export class Answer {
  readonly #options: AnswerOptions
  readonly #stream = new EnvelopeStream()
  readonly #entries = new Map<string, Entry>()
  turnId: string | undefined
  /** How the turn has ended. */
  settled: FrameOf<'settled'> | undefined
  /** What a turn that ended in an error says of it. */
  error: string | undefined

  constructor(options: AnswerOptions) {
    this.#options = options
  }

  apply(frame: Frame): void {
    this.turnId ??= frame.turnId
    this.#stream.apply(frame)
    switch (frame.kind) {
      case 'delta':
        this.#place(frame.partId)
        break
      case 'part':
        if (frame.part.metadata.partType === 'error' && frame.turnState === 'error') this.error = frame.part.text
        else if (!this.#asked(frame.part)) this.#place(frame.partId)
        break
      case 'call':
        if (frame.client === this.#options.viewer) this.#called(frame)
        break
      case 'settled':
        this.settled = frame
        break
      default:
        break
    }
  }

  /** The items as they stand; data is put into words once the turn is over, where nothing else was said. */
  get items(): readonly AnswerItem[] {
    const parts = new Map(this.#stream.parts.map((part) => [part.partId, part]))
    const shown = [...this.#entries.values()].map((entry) => ('item' in entry ? entry.item : parts.get(entry.partId)))
    const items: AnswerItem[] = []
    const rest: StreamPart[] = []
    for (const one of shown) {
      if (one === undefined) continue
      if ('kind' in one) items.push(one)
      else if (one.partType === 'citation') addSource(items, one)
      else if (beside.has(one.partType)) this.#addText(items, 'reasoning', one)
      else if (said.has(one.partType)) this.#addText(items, 'text', one)
      else rest.push(one)
    }
    const isSilent = this.settled !== undefined && items.every(({ kind }) => kind !== 'text')
    for (const part of isSilent ? rest : []) this.#addText(items, 'text', part)
    return items
  }

  /** The data of the answer, for programs. */
  get data(): readonly Pick<Part, 'data' | 'metadata'>[] {
    return this.#stream.parts.flatMap(({ role, data, metadata, partType }) => {
      return role === 'agent' && data !== undefined && partType !== 'approval-request' ? [{ data, metadata }] : []
    })
  }

  #place(partId: string): void {
    if (!this.#entries.has(partId)) this.#entries.set(partId, { partId })
  }

  #addText(items: AnswerItem[], kind: 'text' | 'reasoning', part: StreamPart): void {
    const { open, text: own = '', partId } = part
    const words = open ? own : (this.#options.partTypes.get(part.partType)?.toText?.(part) ?? own)
    if (words === '') return
    // Readers join the texts of an answer as they are.
    const isFirst = items.every((item) => item.kind !== kind)
    items.push({ kind, key: `${kind}:${partId}`, text: isFirst ? words : `\n\n${words}`, sources: [] })
  }

  #called({ callId, name, args = {} }: FrameOf<'call'>): void {
    this.#addCall({ kind: 'call', id: callId }, name, args)
  }

  /** A request for an approval is a call for clients that decide, and words for others. */
  #asked(part: Part): boolean {
    const asked = askedApproval(part)
    if (asked === undefined) return false
    const id = asked.request.approvalId
    if (this.#options.ref.decides) this.#addCall({ kind: 'approval', id }, approvalToolName, approvalArguments(asked))
    else {
      const isFirst = this.items.every(({ kind }) => kind !== 'text')
      const text = `${isFirst ? '' : '\n\n'}${approvalWords(asked)}`
      this.#entries.set(id, { item: { kind: 'text', key: `approval:${id}`, text, sources: [] } })
    }
    return true
  }

  #addCall(call: { readonly kind: 'call' | 'approval'; readonly id: string }, name: string, args: unknown): void {
    const callId = callIdOf({ answer: this.#options.ref, ...call })
    const item = { kind: 'call', key: `call:${call.id}`, callId, name, arguments: JSON.stringify(args) } as const
    this.#entries.set(call.id, { item })
  }
}

/** Sources are of what was said before them. */
function addSource(items: AnswerItem[], { data }: StreamPart): void {
  const found = citationSchema.safeParse(data).data
  const index = items.findLastIndex(({ kind }) => kind === 'text')
  const item = items[index]
  if (found?.url === undefined || item === undefined || item.kind === 'call') return
  const source: AnswerSource = { url: found.url, title: found.title ?? found.url }
  items[index] = { ...item, sources: [...item.sources, source] }
}

/** What an answer is besides its items, for programs of Beach. */
export function beachOf({ turnId, data, settled }: Answer, session: string): Readonly<Record<string, unknown>> {
  const parts = data.length > 0 ? data : undefined
  return defined({ sessionId: session, turnId, turnState: settled?.turnState, parts })
}
