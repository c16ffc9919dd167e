import { beachVersion } from '@cool-ai/beach-core'

/** What the host tells of itself and of the place that the app has. */
export interface HostContext {
  readonly theme?: 'light' | 'dark'
  readonly styles?: { readonly variables?: Readonly<Record<string, string | undefined>> }
}

export interface ToolResult {
  readonly content?: readonly { readonly type: string; readonly text?: string }[]
  readonly structuredContent?: unknown
  readonly isError?: boolean
  readonly _meta?: Readonly<Record<string, unknown>>
}

export interface Host {
  readonly callTool: (name: string, args: object, meta?: object) => Promise<ToolResult>
  readonly openLink: (url: string) => Promise<void>
  /** Tells the host’s model what has happened here, if the host takes such notes. */
  readonly updateModel: (text: string) => Promise<void>
}

interface HostEvents {
  readonly onResult: (result: ToolResult) => void
  readonly onContext: (context: HostContext) => void
  readonly onCancelled: (reason: string) => void
  /** The app is about to be taken away. */
  readonly onEnd: () => void
}

interface HostCapabilities {
  readonly serverTools?: object
  readonly openLinks?: object
  readonly updateModelContext?: object
}

interface Message {
  readonly jsonrpc: '2.0'
  readonly id?: string | number
  readonly method?: string
  readonly params?: unknown
  readonly result?: unknown
  readonly error?: { readonly message?: string }
}

const protocolVersion = '2026-01-26'

/** Joins the host around this page: MCP Apps is JSON-RPC by messages between windows. */
export async function joinHost(events: HostEvents): Promise<Host> {
  const wire = new Wire(window.parent, events)
  const { hostCapabilities: can = {}, hostContext } = await wire.request<{
    readonly hostCapabilities?: HostCapabilities
    readonly hostContext?: HostContext
  }>('ui/initialize', {
    appInfo: { name: 'beach-surfaces', version: beachVersion },
    appCapabilities: {},
    protocolVersion,
  })
  if (hostContext !== undefined) events.onContext(hostContext)
  wire.notify('ui/notifications/initialized', {})
  reportSize(wire)
  return {
    async callTool(name, args, meta) {
      if (can.serverTools === undefined) throw new Error('This application does not let surfaces send anything.')
      return wire.request('tools/call', { name, arguments: args, ...(meta !== undefined && { _meta: meta }) })
    },
    async openLink(url) {
      if (can.openLinks !== undefined) await wire.request('ui/open-link', { url })
    },
    async updateModel(text) {
      if (can.updateModelContext === undefined) return
      await wire.request('ui/update-model-context', { content: [{ type: 'text', text }] })
    },
  }
}

/** The page is as high as what is in it; the host makes room for that. */
function reportSize(wire: Wire): void {
  new ResizeObserver(() => {
    const { height } = document.body.getBoundingClientRect()
    wire.notify('ui/notifications/size-changed', { height: Math.ceil(height) })
  }).observe(document.body)
}

class Wire {
  readonly #host: Window
  readonly #events: HostEvents
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>()
  #ids = 0

  constructor(host: Window, events: HostEvents) {
    this.#host = host
    this.#events = events
    window.addEventListener('message', ({ source, data }: MessageEvent<Message | undefined>) => {
      // Messages of any other sender are ignored.
      if (source === host && data?.jsonrpc === '2.0') this.#take(data)
    })
  }

  request<Result>(method: string, params: object): Promise<Result> {
    const id = ++this.#ids
    const waiting = Promise.withResolvers<unknown>()
    this.#waiting.set(id, waiting)
    this.#send({ id, method, params })
    return waiting.promise as Promise<Result>
  }

  notify(method: string, params: object): void {
    this.#send({ method, params })
  }

  #send(message: Omit<Message, 'jsonrpc'>): void {
    // The app does not know the host’s origin, and says nothing here that the host did not tell it or ask for.
    this.#host.postMessage({ jsonrpc: '2.0', ...message }, '*')
  }

  #take(message: Message): void {
    if (message.method === undefined) return this.#settle(message)
    if (message.id === undefined) return this.#handle(message.method, message.params)
    const answer = this.#answer(message.method)
    this.#send({ id: message.id, ...answer })
  }

  #settle({ id, result, error }: Message): void {
    const waiting = this.#waiting.get(Number(id))
    this.#waiting.delete(Number(id))
    if (error === undefined) waiting?.resolve(result)
    else waiting?.reject(new Error(error.message ?? 'The application refused this.'))
  }

  #handle(method: string, params: unknown): void {
    switch (method) {
      case 'ui/notifications/tool-result':
        return this.#events.onResult(params ?? {})
      case 'ui/notifications/host-context-changed':
        return this.#events.onContext(params ?? {})
      case 'ui/notifications/tool-cancelled':
        return this.#events.onCancelled((params as { reason?: string } | undefined)?.reason ?? '')
      default:
        return undefined
    }
  }

  #answer(method: string): Pick<Message, 'result'> | { error: { code: number; message: string } } {
    if (method === 'ping') return { result: {} }
    if (method === 'ui/resource-teardown') {
      this.#events.onEnd()
      return { result: {} }
    }
    return { error: { code: -32_601, message: `This app does not know ${method}.` } }
  }
}
