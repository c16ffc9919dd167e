import type { AgentContext, InContext } from '@cool-ai/beach-channel'
import { StreamCount } from '@cool-ai/beach-channel/admission'
import { bodyLimits, readJson, remoteNetwork, type BodyLimits } from '@cool-ai/beach-channel/http'
import { Heartbeats } from '@cool-ai/beach-channel/live'
import { FollowedTurns, Threads, type CancelOnDisconnect } from '@cool-ai/beach-channel/threads'
import { BeachError, type Principal } from '@cool-ai/beach-core'
import { askAuthenticator } from '@cool-ai/beach-core/ports'
import { openAiErrorResponse } from './openai-error.ts'

/** How an agent is served to clients of OpenAI; all of it may be left out. */
export interface OpenAiChannelOptions {
  /**
   * What a closed connection means in the middle of a turn: `true` stops the turn at once, `false` never. When left out it is
   * stopped after five seconds, unless the client comes back with the same request. Responses in the background go on.
   */
  readonly cancelOnDisconnect?: CancelOnDisconnect | undefined
  /** Clients send the whole conversation and files with each message: 8 MB when left out. */
  readonly body?: BodyLimits | undefined
}

export type ServerOptions = InContext<OpenAiChannelOptions, AgentContext>

const defaultBodyLimits: BodyLimits = { ...bodyLimits, bytes: 8 * 1024 * 1024 }
const defaultHeartbeatMs = 15_000

/** A request whose caller is known. */
export interface Visit {
  readonly request: Request
  readonly principal: Principal
  /** Lets the next one in; called once its answer is over. */
  readonly leave: () => void
}

/** What both APIs share: who is calling, how much at once, conversations, and errors in OpenAI's shape. */
export class Desk {
  readonly options: ServerOptions
  readonly threads: Threads
  readonly followed: FollowedTurns
  readonly heartbeats: Heartbeats
  readonly #open: StreamCount

  constructor(options: ServerOptions) {
    this.options = options
    this.#open = new StreamCount(options.maxOpen)
    this.heartbeats = new Heartbeats(options.runtime.clock, options.heartbeatMs ?? defaultHeartbeatMs)
    this.threads = new Threads({ ...options, transport: 'openai', field: 'conversation' })
    this.followed = new FollowedTurns(options)
  }

  /** Answers a request of a known caller. `answer` lets go of it by itself when it says so by returning a stream. */
  async answer(request: Request, answer: (visit: Visit) => Promise<Response>): Promise<Response> {
    let leave: (() => void) | undefined
    try {
      const principal = await this.#principal(request)
      leave = this.#open.enterFrom(principal, remoteNetwork(request))
      return await answer({ request, principal, leave })
    } catch (error) {
      leave?.()
      return openAiErrorResponse(error, this.options.runtime)
    }
  }

  /** The same for answers that are over when they are returned. */
  answerAtOnce(request: Request, answer: (visit: Visit) => Promise<Response>): Promise<Response> {
    return this.answer(request, async (visit) => {
      const response = await answer(visit)
      visit.leave()
      return response
    })
  }

  /** The body of a request, which is read only of known callers. */
  body({ request, principal: caller }: Visit): Promise<unknown> {
    const { body: limits = defaultBodyLimits, runtime } = this.options
    return readJson(request, { limits, clock: runtime.clock, caller })
  }

  /** Refuses a model that is none of ours: a client that meant another one must not reach the agent by mistake. */
  checkModel(model: string): void {
    const { id } = this.options.agent
    if (model === id) return
    throw new BeachError('NOT_FOUND', `There is no model '${model.slice(0, 100)}' here. Use '${id}': GET /v1/models.`, {
      details: { param: 'model', code: 'model_not_found' },
    })
  }

  /** OpenAI's clients always have a key, so there are no guests here. */
  async #principal(request: Request): Promise<Principal> {
    const principal = (await askAuthenticator(this.options.authenticate, request))?.principal
    if (principal !== undefined) return principal
    throw new BeachError('UNAUTHENTICATED', 'Authenticate: give the client a key of this agent as its `apiKey`.')
  }
}
