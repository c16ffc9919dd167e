import { ProtocolError, ProtocolErrorCode, type GetPromptResult, type Prompt } from '@modelcontextprotocol/server'

/** What an agent can do, with things that a user might ask it for. */
export interface Capability {
  readonly id: string
  readonly description: string
  readonly examples?: readonly string[]
}

/** The examples of an agent's capabilities as prompts: one each, named by its capability. */
export class ExamplePrompts {
  readonly list: readonly Prompt[]
  readonly #texts: ReadonlyMap<string, { readonly description: string; readonly text: string }>

  constructor(capabilities: readonly Capability[] = []) {
    const entries = capabilities.flatMap(({ id, description, examples = [] }) =>
      examples.map((text, index) => {
        const name = index === 0 ? id : `${id}-${index + 1}`
        return { name, title: text, description, text }
      }),
    )
    this.list = entries.map(({ text: _, ...prompt }) => prompt)
    this.#texts = new Map(entries.map(({ name, description, text }) => [name, { description, text }]))
  }

  has(name: string): boolean {
    return this.#texts.has(name)
  }

  get(name: string): GetPromptResult {
    const prompt = this.#texts.get(name)
    if (prompt === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt '${name}'.`)
    const { description, text } = prompt
    return { description, messages: [{ role: 'user', content: { type: 'text', text } }] }
  }
}
