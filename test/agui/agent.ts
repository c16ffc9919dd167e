import { HttpAgent, type AgentSubscriber, type HttpAgentFetchFn, type RunAgentParameters } from '@ag-ui/client'
import { EventType, type BaseEvent, type Interrupt, type Message } from '@ag-ui/core'
import { HttpAgent as HttpAgent0 } from 'ag-ui-client-0'
import { createBeach, defineActor, serve, type Beach, type BeachOptions } from '@cool-ai/beach'
import { silentLogger, systemRuntime } from '@cool-ai/beach-core'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { onTestFinished } from 'vitest'
import { mergeOptions } from '../support/merge-options.ts'

export const runtime = systemRuntime({ logger: silentLogger })
const secret = new Uint8Array(32).fill(7)

/** An agent on a port of its own. */
interface RunningAgent {
  readonly url: string
  readonly beach: Beach
  /** Stops it as a process would stop; its store is closed. */
  stop(): Promise<void>
}

/** Starts an agent for one test. */
export async function startAgent(options: Partial<BeachOptions> & { readonly port?: number } = {}) {
  const { port = 0, ...given } = options
  const beach = await createBeach(
    mergeOptions(
      {
        agent: { id: 'tester', name: 'Tester' },
        actors: { echo },
        data: { store: new MemoryStore({ runtime }), secret },
        runtime,
        turns: { leaseMs: 1_000 },
      },
      given,
    ),
  )
  const serving = await serve(beach, { port })
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= serving.close())
  onTestFinished(stop)
  return { url: serving.url, beach, stop } satisfies RunningAgent
}

/** Says it again, in pieces. */
const echo = defineActor(async ({ text, respond }) => {
  await respond({ parts: [{ partType: 'ack', text: 'I see.' }], turnState: 'awaiting' })
  await respond({ parts: [{ partType: 'response', text: pieces(['You said ', text]) }], turnState: 'complete' })
})

export async function* pieces(texts: readonly string[]): AsyncGenerator<string> {
  yield* texts
}

/** The stock clients that the agent is tried with. */
export const clients = ['1.0.0', '0.0.59'] as const
export type Client = (typeof clients)[number]

export interface StockOptions {
  readonly url: string
  readonly client?: Client
  readonly threadId?: string
  readonly token?: string
  readonly messages?: readonly Message[]
  /** How it reaches the agent; the platform's `fetch` when left out. */
  readonly fetch?: HttpAgentFetchFn
}

/** What a run gave: its events, the ones that say how it ended, and what the client made of it. */
export interface Ran {
  readonly events: readonly BaseEvent[]
  readonly interrupts: readonly Interrupt[]
  readonly error: { readonly message: string; readonly code?: string } | undefined
  /** Why the client would have rejected: it was refused, or what came was no run. */
  readonly rejected?: Error
}

/** A stock HttpAgent of either version, with what a test wants to know of it. */
export class StockAgent {
  readonly agent: HttpAgent
  readonly client: Client

  constructor({ url, client = '1.0.0', threadId, token, messages = [], fetch }: StockOptions) {
    const config = {
      url: `${url}/agui`,
      ...(threadId !== undefined && { threadId }),
      ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
      ...(fetch && { fetch }),
      initialMessages: structuredClone(messages) as Message[],
    }
    this.client = client
    // The two versions have the same members, as far as these tests use them.
    this.agent = client === '1.0.0' ? new HttpAgent(config) : (new HttpAgent0(config as never) as unknown as HttpAgent)
  }

  get threadId(): string {
    return this.agent.threadId
  }

  get messages(): readonly Message[] {
    return this.agent.messages
  }

  get pending(): readonly Interrupt[] {
    return this.agent.pendingInterrupts
  }

  /** The texts of the client's messages of one role. */
  texts(role: Message['role'] = 'assistant'): string[] {
    return this.agent.messages.flatMap((message) =>
      message.role === role && typeof message.content === 'string' ? [message.content] : [],
    )
  }

  /** Says something and runs. */
  say(text: string, parameters: RunAgentParameters = {}, subscriber: AgentSubscriber = {}): Promise<Ran> {
    this.agent.addMessage({ id: crypto.randomUUID(), role: 'user', content: text })
    return this.run(parameters, subscriber)
  }

  /** Answers everything that is asked. */
  resume(payload: unknown, status: 'resolved' | 'cancelled' = 'resolved'): Promise<Ran> {
    const answer = status === 'resolved' ? { payload } : {}
    return this.run({ resume: this.pending.map(({ id }) => ({ interruptId: id, status, ...answer })) })
  }

  async run(parameters: RunAgentParameters = {}, subscriber: AgentSubscriber = {}): Promise<Ran> {
    const events: BaseEvent[] = []
    let error: Ran['error']
    let rejected: Error | undefined
    await this.agent.runAgent(parameters, {
      ...subscriber,
      onEvent: (given) => {
        events.push(structuredClone(given.event))
        return subscriber.onEvent?.(given)
      },
      onRunErrorEvent: ({ event }) => {
        const { message, code } = event
        error = { message, ...(code !== undefined && { code }) }
      },
      // Without this the client prints the error and rejects; its types do not know of it.
      onRunFailed: ({ error: failure }) => {
        rejected = failure
        return { stopPropagation: true } as object
      },
    })
    return { events, interrupts: [...this.pending], error, ...(rejected && { rejected }) }
  }
}

/**
 * A way to the agent that can be cut, and that ends where it breaks: the stock client throws what no caller can catch when
 * a connection is reset.
 */
export function frailFetch(): { readonly fetch: HttpAgentFetchFn; readonly cut: () => void } {
  let stop = new AbortController()
  const frail: HttpAgentFetchFn = async (url, init) => {
    stop = new AbortController()
    const signals = [stop.signal, ...(init.signal ? [init.signal] : [])]
    const response = await fetch(url, { ...init, signal: AbortSignal.any(signals) })
    const reader = response.body?.getReader()
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { done = true, value } = (await reader?.read().catch(() => undefined)) ?? {}
        if (done || value === undefined) controller.close()
        else controller.enqueue(value)
      },
      cancel: (reason) => reader?.cancel(reason),
    })
    return new Response(body, response)
  }
  return { fetch: frail, cut: () => stop.abort() }
}

/** The types of events, in their order, without repeats of the same one in a row. */
export function typesOf(events: readonly BaseEvent[]): string[] {
  return events.map(({ type }): string => type).filter((type, index, all) => type !== all[index - 1])
}

/** The values of CUSTOM events of one name. */
export function customs(events: readonly BaseEvent[], name: string): unknown[] {
  return events.flatMap((event) => (event.type === EventType.CUSTOM && event.name === name ? [event.value] : []))
}

/** A bearer token of a new principal, from the agent itself. */
export async function newToken(url: string): Promise<string> {
  const response = await fetch(`${url}/sessions`, { method: 'POST' })
  return ((await response.json()) as { token: string }).token
}

/** Something that a test opens when it wants others to go on. */
export class Gate {
  readonly opened: Promise<void>
  open: () => void = () => {}

  constructor() {
    this.opened = new Promise((resolve) => (this.open = resolve))
  }
}
