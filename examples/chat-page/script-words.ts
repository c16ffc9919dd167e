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
