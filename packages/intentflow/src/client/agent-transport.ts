import { platformOf, refusal, unreachable, wireError, type AgentError } from '@cool-ai/beach-client/reliability'
import type { ClientEvent } from '../schemas/client-payloads.ts'
import { FlowClientError } from './flow-client-error.ts'
import { answerOf, isRecord, type FlowTransport, type ReceivedEvent, type ClientRequest } from './transport.ts'

/** What is used of an agent of AG-UI's clients; an `HttpAgent` is one. */
export interface FlowAgent {
  isRunning: boolean
  readonly state: unknown
  pendingInterrupts?: { readonly id: string; readonly expiresAt?: string }[]
  subscribers: object[]
  runAgent(parameters: RunParameters, subscriber: RunSubscriber): Promise<unknown>
  subscribe(subscriber: RunSubscriber): { unsubscribe: () => void }
  clone(): FlowAgent
  setMessages(messages: never[]): void
  abortRun(): void
}

interface RunParameters {
  forwardedProps: Record<string, unknown>
  resume?: { interruptId: string; status: 'resolved' | 'cancelled'; payload?: unknown }[]
}

interface RunSubscriber {
  onEvent?(given: { event: { type: string } }): void
  onRunFailed?(given: { error: Error }): object
  onRunFinalized?(given: object): void
}

/** How flows go over a client of AG-UI. */
export interface AgentTransportOptions {
  /** Whether to listen all the time, by runs of a copy of the agent; the server must know of `subscribe`. */
  readonly live?: boolean | undefined
}

/** How long to wait at most before looking again whether an agent is idle. */
const lookAgainMs = 500

/**
 * Events by runs of a stock agent of AG-UI, one after the other: what is done while it runs goes with the next run. What
 * comes in runs that the application starts counts too. Do not start a run while `agent.isRunning`.
 */
export function agentTransport(agent: FlowAgent, { live = false }: AgentTransportOptions = {}): FlowTransport {
  const { clock } = platformOf({})
  const waiting = new Set<() => void>()
  // What a run has to tidy up comes after it has said that it is over.
  const onRunFinalized = () => void clock.timer(0, () => waiting.forEach((look) => look()))
  agent.subscribe({ onRunFinalized })

  /** Resolves when the agent does nothing. It tells only those of a run's end who were there when the run began. */
  const idle = async (signal: AbortSignal) => {
    while (agent.isRunning && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const look = () => resolve()
      const cancel = clock.timer(lookAgainMs, look)
      waiting.add(look)
      signal.addEventListener('abort', look)
      await promise
      signal.removeEventListener('abort', look)
      waiting.delete(look)
      cancel()
    }
    signal.throwIfAborted()
  }

  return {
    async send(said, signal) {
      // What only asks is not to disturb the agent, nor to wait for it.
      if (said.events === undefined) return run(copyOf(agent), said, { signal })
      await idle(signal)
      const resume = resumeOf(agent, said.events, clock.now())
      return run(agent, said, { signal, resume })
    },

    ...(live && {
      async follow(said, { opened, event }, signal) {
        await run(copyOf(agent), { ...said, subscribe: true }, { signal, opened, event })
      },
    }),

    listen(onEvent) {
      onEvent({ type: 'STATE_SNAPSHOT', snapshot: agent.state })
      return agent.subscribe({ onEvent: ({ event }) => onEvent(event) }).unsubscribe
    },
  }
}

interface RunOptions {
  readonly signal: AbortSignal
  readonly resume?: NonNullable<RunParameters['resume']> | undefined
  readonly opened?: (() => void) | undefined
  readonly event?: ((event: ReceivedEvent) => void) | undefined
}

async function run(agent: FlowAgent, said: ClientRequest & { readonly subscribe?: true }, options: RunOptions) {
  const { signal, resume = [], opened, event: onEvent } = options
  let ended: ReceivedEvent & { readonly result?: unknown; readonly message?: string } = { type: '' }
  let snapshot: unknown
  let failure: Error | undefined
  const abort = () => agent.abortRun()
  signal.addEventListener('abort', abort, { once: true })
  try {
    await agent.runAgent(
      { forwardedProps: { intentflow: said }, ...(resume.length > 0 && { resume }) },
      {
        onEvent({ event }: { event: ReceivedEvent }) {
          if (event.type === 'RUN_STARTED') opened?.()
          if (event.type === 'RUN_FINISHED' || event.type === 'RUN_ERROR') ended = event
          if (event.type === 'STATE_SNAPSHOT') snapshot = event.snapshot
          onEvent?.(event)
        },
        // Otherwise the agent writes it to the console, and rejects.
        onRunFailed({ error }) {
          failure = error
          return { stopPropagation: true }
        },
      },
    )
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error))
  } finally {
    signal.removeEventListener('abort', abort)
  }
  signal.throwIfAborted()
  if (failure !== undefined) throw errorOf(failure)
  if (ended.type !== 'RUN_FINISHED') throw unreachable(ended.message ?? 'The run was cut off.')
  const result = isRecord(ended.result) ? ended.result.intentflow : undefined
  const answer = answerOf(result)
  // Where the answer does not say how things stand, the run's beginning did.
  return said.known === undefined || answer.activeFlows !== undefined ? answer : { ...answer, ...answerOf(snapshot) }
}

/** The agent's thread in a run of its own, which changes nothing of the agent. */
function copyOf(agent: FlowAgent): FlowAgent {
  const copy = agent.clone()
  copy.subscribers = []
  copy.pendingInterrupts = []
  copy.isRunning = false
  copy.setMessages([])
  return copy
}

/**
 * A stock agent that was interrupted runs again only when everything that was asked is answered. Actions are answered by
 * their responses; what else was asked is the application's, and must be answered first.
 */
function resumeOf({ pendingInterrupts = [] }: FlowAgent, events: readonly ClientEvent[], now: number) {
  return pendingInterrupts.map(({ id, expiresAt }) => {
    const response = events.find(({ name, value }) => {
      return name === 'intentflow.action_response' && 'actionId' in value && value.actionId === id
    })
    if (response === undefined) {
      const text = `The agent waits for an answer to the interrupt ${id}: nothing else can be sent before.`
      throw new FlowClientError('AWAITING_ANSWER', text, { retryable: true })
    }
    if (expiresAt !== undefined && Date.parse(expiresAt) <= now) {
      return { interruptId: id, status: 'cancelled' as const }
    }
    return { interruptId: id, status: 'resolved' as const, payload: response.value }
  })
}

/** An agent's error carries the status and the body of what refused it. */
function errorOf(failure: Error & { readonly status?: unknown; readonly payload?: unknown }): AgentError {
  const { status, payload } = failure
  if (typeof status !== 'number') return unreachable('The agent could not run.', failure)
  const { code, message = failure.message } = wireError(payload)
  return refusal(status, message, code)
}
