import type { ActionPayload, ActionType } from '../schemas/action-payload.ts'
import type { ActionResponsePayload } from '../schemas/client-payloads.ts'
import type { Clock } from '@cool-ai/beach-core'
import { recentIds } from './recent.ts'
import type { Values } from '../schemas/json-problem.ts'

/** What came of an action. What a device says of its user is no proof to the server. */
export type ActionResponse = Pick<ActionResponsePayload, 'success' | 'result' | 'error'>

/** Does what an action asks for. What it throws becomes an error of code `FAILED`, or of the code that it carries. */
export type ActionHandler<Type extends ActionType = ActionType> = (
  config: Extract<ActionPayload, { action: Type }>['config'],
  context: { readonly signal: AbortSignal; readonly action: Extract<ActionPayload, { action: Type }> },
) => Promise<Values | void>

/** What this device can do. An action that is `manual` waits for `client.respond`; one that is missing is UNSUPPORTED. */
export type ActionHandlers = { readonly [Type in ActionType]?: ActionHandler<Type> | 'manual' }

/** An error of an action, with a code that the server is told. */
export class ActionError extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.name = 'ActionError'
    this.code = code
  }
}

/** Older actions are not done: long enough for clocks that differ. */
const oldMs = 600_000

interface Running {
  readonly action: ActionPayload
  readonly end: AbortController
}

export interface ActionRunsOptions {
  readonly handlers: ActionHandlers
  readonly clock: Clock
  readonly respond: (action: ActionPayload, response: ActionResponse) => void
  readonly onChange: () => void
}

/** Actions that the server has asked for, each done once, and answered when it wants an answer. */
export class ActionRuns {
  readonly #options: ActionRunsOptions
  readonly #seen = recentIds(500)
  #running: readonly Running[] = []
  #shown: readonly ActionPayload[] = []

  constructor(options: ActionRunsOptions) {
    this.#options = options
  }

  /** Those that are not done yet. */
  get actions(): readonly ActionPayload[] {
    return this.#shown
  }

  start(action: ActionPayload): void {
    const id = action.actionId ?? action.eventId
    if ((id !== undefined && !this.#seen.add(id)) || this.#isOld(action)) return
    const running = { action, end: new AbortController() }
    this.#running = [...this.#running, running]
    this.#changed()
    void this.#run(running)
  }

  /** Answers one in place of its handler; false when no answer is expected. */
  respond(actionId: string, response: ActionResponse): boolean {
    const running = this.#running.find(({ action }) => action.actionId === actionId)
    if (running === undefined) return false
    this.#finish(running, response)
    return true
  }

  close(): void {
    for (const { end } of this.#running) end.abort()
    this.#running = []
    this.#changed()
  }

  /** A server that tells again what has happened does not want it done again. */
  #isOld({ at, timeoutMs = 0 }: ActionPayload): boolean {
    return at !== undefined && this.#options.clock.now() - at > oldMs + timeoutMs
  }

  async #run(running: Running): Promise<void> {
    const { action, end } = running
    const { handlers, clock } = this.#options
    const handler = handlers[action.action] as ActionHandler | 'manual' | undefined
    const late = () => this.#finish(running, failed('TIMEOUT', 'There was no answer in time.'))
    const cancel = action.timeoutMs === undefined ? () => {} : clock.timer(action.timeoutMs, late)
    end.signal.addEventListener('abort', cancel)
    if (handler === 'manual') return
    if (handler === undefined) {
      this.#finish(running, failed('UNSUPPORTED', `This client cannot do ${action.action}.`))
      return
    }
    try {
      const result = await handler(action.config, { signal: end.signal, action })
      this.#finish(running, { success: true, ...(result && { result }) })
    } catch (error) {
      this.#finish(running, failed(codeOf(error), messageOf(error)))
    }
  }

  #finish(running: Running, response: ActionResponse): void {
    if (!this.#running.includes(running)) return
    this.#running = this.#running.filter((other) => other !== running)
    running.end.abort()
    if (running.action.responseRequired) this.#options.respond(running.action, response)
    this.#changed()
  }

  #changed(): void {
    this.#shown = this.#running.map(({ action }) => action)
    this.#options.onChange()
  }
}

function failed(code: string, message: string): ActionResponse {
  return { success: false, error: { code, message } }
}

/** Browsers name what went wrong: the user said no, or the device has no such thing. */
const codes: Readonly<Record<string, string>> = {
  NotAllowedError: 'DENIED',
  SecurityError: 'DENIED',
  AbortError: 'CANCELLED',
  NotFoundError: 'UNSUPPORTED',
  NotSupportedError: 'UNSUPPORTED',
  TimeoutError: 'TIMEOUT',
}

function codeOf(error: unknown): string {
  if (error instanceof ActionError) return error.code
  return (error instanceof Error ? codes[error.name] : undefined) ?? 'FAILED'
}

function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : ''
  return text === '' ? 'The action failed.' : text.slice(0, 1_000)
}
