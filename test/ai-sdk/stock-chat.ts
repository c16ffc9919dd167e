import { AbstractChat, DefaultChatTransport, type ChatInit, type ChatState, type ChatStatus, type UIMessage } from 'ai'

/** What `useChat` keeps in React's state, kept in an object. */
class PlainState implements ChatState<UIMessage> {
  status: ChatStatus = 'ready'
  error: Error | undefined
  messages: UIMessage[] = []

  pushMessage = (message: UIMessage) => {
    this.messages = [...this.messages, message]
  }

  popMessage = () => {
    this.messages = this.messages.slice(0, -1)
  }

  replaceMessage = (index: number, message: UIMessage) => {
    this.messages = this.messages.with(index, structuredClone(message))
  }

  snapshot = <T>(value: T): T => structuredClone(value)
}

export interface StockChatOptions extends ChatInit<UIMessage> {
  readonly url: string
  readonly token?: string
}

/** The chat behind `useChat`, as the package `ai` has it. */
export class StockChat extends AbstractChat<UIMessage> {
  constructor({ url, token, ...options }: StockChatOptions) {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const transport = new DefaultChatTransport<UIMessage>({ api: `${url}/chat`, headers })
    const id = options.id ?? crypto.randomUUID()
    const state = new PlainState()
    state.messages = options.messages ?? []
    super({ transport, ...options, id, state })
  }

  /** The parts of the last message without what differs from run to run. */
  get parts(): readonly Record<string, unknown>[] {
    return (this.lastMessage?.parts ?? []).map(({ providerMetadata: _, ...part }: Record<string, unknown>) => part)
  }

  get text(): string {
    return (this.lastMessage?.parts ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
  }
}
