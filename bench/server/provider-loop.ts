import { lookup, spoken, wantedIn } from './script.ts'

/** A message of a conversation as a provider's API takes it. */
export interface Message {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content: string
  readonly toolCallId?: string
}

/** What comes of a model's answer. */
export type Piece =
  | { readonly type: 'text'; readonly delta: string }
  | { readonly type: 'tool-call'; readonly id: string; readonly name: string; readonly args: unknown }

const tools: Readonly<Record<string, (args: unknown) => Promise<unknown>>> = {
  [lookup.name]: async () => lookup.result,
}

/** What a provider's API gives: a tool call first, and an answer once the tool's result is there. */
export async function* model(messages: readonly Message[]): AsyncGenerator<Piece> {
  if (messages.at(-1)?.role !== 'tool') {
    yield { type: 'tool-call', id: `call_${messages.length}`, name: lookup.name, args: lookup.args }
    return
  }
  const asked = messages.findLast(({ role }) => role === 'user')
  for await (const delta of spoken(wantedIn(asked?.content ?? ''))) yield { type: 'text', delta }
}

/** The loop that everyone writes who uses no framework: the model is called until it calls no tool. It keeps nothing. */
export async function* providerLoop(text: string): AsyncGenerator<string> {
  const messages: Message[] = [{ role: 'user', content: text }]
  for (;;) {
    const calls: Extract<Piece, { type: 'tool-call' }>[] = []
    let said = ''
    for await (const piece of model(messages)) {
      if (piece.type === 'tool-call') calls.push(piece)
      else {
        said += piece.delta
        yield piece.delta
      }
    }
    messages.push({ role: 'assistant', content: calls.length > 0 ? JSON.stringify(calls) : said })
    if (calls.length === 0) return
    for (const { id, name, args } of calls) {
      const result = await tools[name]?.(args)
      messages.push({ role: 'tool', toolCallId: id, content: JSON.stringify(result) })
    }
  }
}
