import { defined } from '@cool-ai/beach-core/runtime'
import { ordinalIn } from './number-words.ts'

/** What a script says, part by part. */
export interface ScriptPart {
  readonly partType: string
  readonly kind?: string | undefined
  /** Where the data stands: what comes there later takes its place. */
  readonly slotKey?: string | undefined
  /** Ready answers to a question. */
  readonly options?: readonly string[] | undefined
  readonly text?: string
  readonly data?: unknown
}

/** What is said in a rule: parts, and whether that is all. */
export function scriptedReply(turnState: string, ...parts: readonly ScriptPart[]) {
  return {
    turnState,
    parts: parts.map(({ partType, kind, slotKey, options, ...content }) => ({
      metadata: {
        partType,
        kind,
        slotKey,
        options,
      },
      ...content,
    })),
  }
}

export function ack(text: string) {
  return scriptedReply('awaiting', { partType: 'ack', text })
}

export function clarify(text: string, options?: readonly string[]) {
  return scriptedReply('clarifying', { partType: 'clarify', text, options })
}

export function answer(text: string, ...more: readonly ScriptPart[]) {
  return scriptedReply('complete', { partType: 'response', text }, ...more)
}

/** Says something, and asks what to do next. */
export function answerAndAsk(text: string, question: string, options?: readonly string[]) {
  return scriptedReply('clarifying', { partType: 'response', text }, { partType: 'clarify', text: question, options })
}

const asked = /<data origin="others:request">\n([\s\S]*?)\n<\/data>/

/** The request for an approval that the present message is a question about; undefined when it is about none. */
export function requestAskedAbout(now: { readonly prompt: readonly object[] }): string | undefined {
  const last = (now.prompt as readonly PromptMessage[]).findLast(({ role }) => role === 'user')
  const text =
    typeof last?.content === 'string'
      ? undefined
      : last?.content.map(({ text: words }) => (typeof words === 'string' ? words : '')).join('')
  // What stands around it is for models: who asks, and how to decide.
  return asked
    .exec(text ?? '')?.[1]
    ?.split('\n\n')
    .slice(1, -1)
    .join('\n\n')
}

/** The answer to a question about a request for an approval. */
export function requestAnswer(request: string) {
  const [title = '', ...facts] = request.split('\n')
  const paragraphs = [
    'This is what you were asked:',
    title,
    facts.map((fact) => `- ${fact}`).join('\n'),
    'Nothing happens until you answer the request with yes or no.',
  ]
  return answer(paragraphs.filter((paragraph) => paragraph !== '').join('\n\n'))
}

/** A tool's result, or the sentence that it failed with. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- each tool has a result of its own type.
export function resultOf<Result>(
  now: { readonly results: ReadonlyMap<string, string> },
  tool: string,
): Result | string {
  return parsed<Result>(now.results.get(tool) ?? '')
}

/** What a text holds as JSON, or the text itself when it is none. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- each tool has a result of its own type.
export function parsed<Result>(text: string): Result | string {
  try {
    return JSON.parse(text) as Result
  } catch {
    return text
  }
}

const fencedWords = /<data origin="peer:[^"]*">\n([\s\S]*?)\n<\/data>/g

const ofOthers = /<data origin="others:[^"]*">\n[\s\S]*?\n<\/data>\n?/g

/**
 * What was said, without the fence around another agent's words: a script answers every caller alike. What a user
 * only passes on of others is left out.
 */
export function spoken(text: string): string {
  return text.replaceAll(ofOthers, '').replaceAll(fencedWords, '$1')
}

interface PromptMessage {
  readonly role: string
  readonly content: string | readonly { readonly type: string; readonly text?: unknown }[]
}

/** What the user has said so far, the first thing first. */
export function userTexts(now: { readonly prompt: readonly object[] }): string[] {
  return (now.prompt as readonly PromptMessage[]).flatMap(({ role, content }) => {
    if (role !== 'user' || typeof content === 'string') return []
    return [spoken(content.map(({ text }) => (typeof text === 'string' ? text : '')).join(''))]
  })
}

/** A part of an answer, as a script reads it again. */
interface PastPart {
  readonly partType: string
  readonly text: string
  /** The data of a part that has some; a text when it was too long to be shown to models whole. */
  readonly data?: unknown
  /** Ready answers to a question. */
  readonly options?: readonly string[]
}

/** What was said, and what the agent has answered. */
export interface Exchange {
  readonly said: string
  readonly parts: readonly PastPart[]
}

interface RespondCall {
  readonly type: string
  readonly toolName?: string
  readonly input?: unknown
}

/** The conversation so far, the present message with what was answered to it last. */
export function exchangesOf(now: { readonly prompt: readonly object[] }): Exchange[] {
  const exchanges: { said: string; parts: PastPart[] }[] = []
  for (const message of now.prompt as readonly PromptMessage[]) {
    const { role, content } = message
    if (typeof content === 'string') continue
    if (role === 'user') exchanges.push({ said: userTexts({ prompt: [message] })[0] ?? '', parts: [] })
    if (role !== 'assistant') continue
    for (const call of content as readonly RespondCall[]) {
      if (call.type === 'tool-call' && call.toolName === 'respond') exchanges.at(-1)?.parts.push(...partsIn(call.input))
    }
  }
  return exchanges
}

interface Responded {
  readonly parts?: readonly {
    readonly metadata?: { readonly partType?: string; readonly options?: readonly string[] }
    text?: string
    data?: unknown
  }[]
}

const fencedData = /^<data origin="[^"]*">\n([\s\S]*)\n<\/data>$/

function partsIn(input: unknown): PastPart[] {
  const { parts = [] } = (typeof input === 'string' ? parsed<Responded>(input) : input) as Responded
  return parts.map(({ metadata, text = '', data }) => {
    const json = data === undefined ? fencedData.exec(text)?.[1] : undefined
    const read = json === undefined ? data : parsed<unknown>(json)
    return defined({ partType: metadata?.partType ?? '', text, data: read, options: metadata?.options })
  })
}

const onlyOrdinal =
  /^\W*(?:(?:ok|okay|yes|please|i(?:'|’)?d like|i(?:'|’)ll take|take|choose|number|option|the) )*(?:\d+|first|second|third|fourth|fifth|sixth|last|1st|2nd|3rd|[4-9]th)(?: (?:one|option))?(?: please)?\W*$/i

/** The ready answer that “the second” means; undefined where no question was asked, or something else is said. */
export function optionMeant(text: string, last: Exchange | undefined): string | undefined {
  const options = last?.parts.findLast(({ options: ready = [] }) => ready.length > 0)?.options
  const index = options !== undefined && onlyOrdinal.test(text) ? ordinalIn(text) : undefined
  return index === undefined ? undefined : options?.at(index)
}
