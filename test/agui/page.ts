import type { Tool } from '@ag-ui/core'
import { StockAgent, type Ran, type StockOptions } from './agent.ts'

export const paint: Tool = {
  name: 'paint',
  description: 'Paints the page.',
  parameters: { type: 'object', properties: { colour: { type: 'string' } }, required: ['colour'] },
}
export const dance: Tool = { name: 'dance', description: 'Dances.', parameters: { type: 'object', properties: {} } }

/** A page: a stock client that runs its tools as CopilotKit does, with what its messages show. */
export class Page extends StockAgent {
  readonly tools: readonly Tool[]
  readonly ran: string[] = []

  constructor(options: StockOptions & { readonly tools?: readonly Tool[] }) {
    super(options)
    this.tools = options.tools ?? [paint]
  }

  override run(
    parameters: Parameters<StockAgent['run']>[0] = {},
    ...rest: [Parameters<StockAgent['run']>[1]?]
  ): Promise<Ran> {
    return super.run({ tools: [...this.tools], ...parameters }, ...rest)
  }

  /** The calls that the client has no results of. */
  get pendingCalls() {
    const answered = new Set(this.messages.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : [])))
    const made = this.messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []))
    return made.filter(({ id }) => !answered.has(id))
  }

  /** Runs what it was called for, and runs again with the results. */
  answer(content = 'painted', runId?: string): Promise<Ran> {
    this.perform(content)
    return this.run(runId === undefined ? {} : { runId })
  }

  perform(content = 'painted'): void {
    for (const {
      id,
      function: { name, arguments: args },
    } of this.pendingCalls) {
      this.ran.push(`${name} ${args}`)
      this.agent.addMessage({ id: crypto.randomUUID(), role: 'tool', toolCallId: id, content })
    }
  }
}
