import { plainWords, type CallResult } from '@cool-ai/beach-channel/peers'
import type { Part } from '@cool-ai/beach-core'
import { clarifyOptions } from '@cool-ai/beach-core/registries'
import { defined } from '@cool-ai/beach-core/runtime'

/** What a model is told of a peer's answer; it is given to the model as data, between fences. */
export interface PeerAnswer {
  readonly from: string
  readonly state: CallResult['state']
  readonly answer?: string
  /** What the peer asks, and must be told before it can go on. */
  readonly question?: string
  readonly options?: readonly string[]
  /** What the peer's model has to say about its data. */
  readonly context?: string
  readonly data?: readonly unknown[]
  readonly files?: readonly unknown[]
  /** What the user should know besides. */
  readonly note?: string
  /** Give it back to go on with this conversation. */
  readonly conversationId?: string
}

const maxTextLength = 20_000
const maxDataLength = 30_000

/** The answer in the form that a model is told. */
export function peerAnswer(result: CallResult, conversationId: string | undefined): PeerAnswer {
  const { peer, state, parts } = result
  const isQuestion = state === 'clarifying' || state === 'unauthorized'
  const question = isQuestion ? textOf(parts, ['clarify']) : undefined
  // A surface that came in words is not shown otherwise.
  const answer = textOf(parts, isQuestion ? said : [...said, 'clarify', 'error'])
  const options = isQuestion ? optionsIn(parts) : []
  const context = textOf(parts, ['llm-context'])
  const files = parts.filter(({ metadata }) => metadata.partType === 'artifact').map(({ data }) => withoutBytes(data))
  const data = parts.filter(isData).map((part) => part.data)
  return defined({
    from: peer,
    state,
    answer: answer || undefined,
    question: question === '' ? '(It does not say what.)' : question,
    options: options.length > 0 ? options : undefined,
    context: context || undefined,
    data: data.length > 0 ? cut(data) : undefined,
    files: files.length > 0 ? cut(files) : undefined,
    note: state === 'unfinished' ? unfinished : undefined,
    conversationId,
  })
}

const said = ['response', 'a2ui-surface']

const unfinished = 'This is not its whole answer, and what follows does not come by itself: ask again for it later.'

// What acts, or is for eyes only, is nothing that a model should read.
const left: ReadonlySet<string> = new Set([
  'artifact',
  'a2ui-surface',
  'approval-request',
  'approval-response',
  'setState',
  'progress',
  'reasoning-trace',
])

function isData({ data, metadata }: Part): boolean {
  return data !== undefined && !left.has(metadata.partType)
}

function textOf(parts: readonly Part[], types: readonly string[]): string {
  const texts = parts.flatMap(({ text, metadata }) => (types.includes(metadata.partType) ? (text ?? []) : []))
  const all = texts.join('\n\n')
  return all.length > maxTextLength ? `${all.slice(0, maxTextLength)}… (cut)` : all
}

/** Foreign text, within what a question of ours may offer. */
function optionsIn(parts: readonly Part[]): string[] {
  const asks = parts.filter(({ metadata }) => metadata.partType === 'clarify')
  const texts = asks.flatMap((part) => clarifyOptions(part)).map((text) => plainWords(text, 79))
  return [...new Set(texts)].filter((text) => text !== '').slice(0, 10)
}

function cut(values: readonly unknown[]): readonly unknown[] {
  const json = JSON.stringify(values)
  return json.length > maxDataLength ? [`${json.slice(0, maxDataLength)}… (cut)`] : values
}

function withoutBytes(data: unknown): unknown {
  if (typeof data !== 'object' || data === null) return data
  const { bytes: _, ...rest } = data as Record<string, unknown>
  return rest
}
