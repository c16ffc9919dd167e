import { started, type AgentAbout, type ArtifactLinkOf } from '@cool-ai/beach-channel'
import { askToolName } from '@cool-ai/beach-channel/peers'
import type { CardReader } from '@cool-ai/beach-channel/cards'
import { ConversationRateLimiter } from '@cool-ai/beach-channel/live'
import {
  BeachError,
  type ArtifactStore,
  type PartTypeRegistry,
  type PlainTool,
  type Runtime,
  type Sessions,
} from '@cool-ai/beach-core'
import { principalKey } from '@cool-ai/beach-core/ports'
import { CompactingMap } from '@cool-ai/beach-core/runtime'
import { hmacOf, secretKeys, type Secret } from '@cool-ai/beach-core/tokens'
import {
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type ClientCapabilities,
  type Implementation,
  type InputRequiredResult,
  type RequestStateCodec,
  Server,
  type ServerContext,
  type ServerOptions,
} from '@modelcontextprotocol/server'
import { answerContext } from './answer-result.ts'
import { appResource, type AppResource, type McpApp } from './app-resource.ts'
import type { AskCall, AskContext, AskState } from './ask-tool.ts'
import type { Caller } from './caller.ts'
import { Conversations, defaultConsumes } from './conversations.ts'
import { ExamplePrompts } from './example-prompts.ts'
import { withRequestMeta } from './request-meta.ts'
import { servedTools, type ServedTool } from './served-tools.ts'
import { listConversations, readResource, resourceTemplates, type ResourcesContext } from './session-resources.ts'
import { CallTasks, type TaskOptions } from './tasks/call-tasks.ts'
import { serveTasks } from './tasks/task-methods.ts'
import { tasksExtension } from './tasks/task-shape.ts'
import { failedCall, protocolError } from './wire-errors.ts'

export interface AgentServerOptions {
  readonly runtime: Runtime
  /** Reads the Agent Cards that callers name; without it they get what strangers get. */
  readonly callerCards?: CardReader | undefined
  /** Counts what callers begin; give the same to channels that are to count together. */
  readonly rateLimiter?: ConversationRateLimiter | undefined
  readonly agent: AgentAbout
  readonly partTypes: PartTypeRegistry
  /** Guests' conversations and the states of unfinished calls are signed with it. */
  readonly secret: Secret
  readonly tenant: string
  /** The name of the conversational tool; `ask_` and the agent's id when left out. */
  readonly tool?: string | undefined
  /** The page that hosts of MCP Apps show surfaces in; others get them in words. */
  readonly app?: McpApp | undefined
  /** Tools that peers may call themselves. */
  readonly exposedTools?: readonly PlainTool[] | undefined
  /** Part types that callers are taken to understand, where a type asks for that; none when left out. */
  readonly consumes?: readonly string[] | undefined
  readonly artifacts?: ArtifactStore | undefined
  readonly artifactLink?: ArtifactLinkOf | undefined
  /** How long a call may take before it ends without an answer; 15 minutes when left out. */
  readonly maxCallMs?: number | undefined
  /** How calls of clients that take tasks become some; false when the extension is not served. */
  readonly tasks?: TaskOptions | false | undefined
  /** Calls that one principal may have open, and all guests from one address together; 200 when left out. */
  readonly maxCalls?: number | undefined
}

/** An agent as MCP servers: one conversational tool, its resources, prompts and exposed tools. */
export class AgentServers {
  readonly #options: AgentServerOptions
  readonly #info: Implementation
  readonly #context: AskContext & ResourcesContext
  readonly #prompts: ExamplePrompts
  readonly #tools: ReadonlyMap<string, ServedTool>
  readonly #app: AppResource | undefined
  readonly #serverOptions: ServerOptions
  readonly #calls = new CompactingMap<Promise<unknown>, true>()
  /** Those of them that run a tool themselves, and wait for no turn. */
  readonly #exposedCalls = new CompactingMap<Promise<unknown>, true>()
  readonly #open: CallCount
  #sessions: Sessions | undefined
  #ending = new AbortController().signal

  constructor(options: AgentServerOptions) {
    const { runtime, agent, secret, tenant, artifacts } = options
    const tool = options.tool ?? askToolName(agent.id)
    const sessions = () => started(this.#sessions)
    const states = requestStates(secret)
    this.#options = options
    this.#info = { name: agent.id, title: agent.name, version: agent.version ?? '0.0.0' }
    this.#open = new CallCount(options.maxCalls ?? 200)
    this.#context = {
      runtime,
      sessions,
      conversations: new Conversations({
        sessions,
        runtime,
        secret,
        tenant,
        consumes: options.consumes ?? defaultConsumes,
        rateLimiter: options.rateLimiter ?? new ConversationRateLimiter(runtime.clock),
      }),
      states,
      ...answerContext(options),
      maxCallMs: options.maxCallMs ?? 15 * 60_000,
      hasApp: options.app !== undefined,
      tasks: options.tasks === false ? undefined : new CallTasks(options.tasks ?? {}, () => this.#context),
      ending: () => this.#ending,
      artifacts,
    }
    this.#prompts = new ExamplePrompts(agent.capabilities)
    this.#app = options.app && appResource(agent.id, options.app, { ask: tool, decide: this.#context.resumeTool })
    this.#tools = servedTools(tool, options, this.#context, this.#app?.toolMeta)
    this.#serverOptions = {
      capabilities: {
        tools: {},
        resources: {},
        extensions: { ...this.#app?.extensions, ...(this.#context.tasks && { [tasksExtension]: {} }) },
        ...(this.#prompts.list.length > 0 && { prompts: {} }),
      },
      ...(agent.description !== undefined && { instructions: agent.description }),
      inputRequired: { maxRounds: 20 },
      requestState: { verify: (state, context) => states.verify(state, context) },
    }
  }

  start(sessions: Sessions, ending: AbortSignal): void {
    this.#sessions = sessions
    this.#ending = ending
  }

  /** A server for one caller: for a connection, or for a request, which may say by which method it comes. */
  server(caller: Caller, method?: string): Server {
    const server = new Server(this.#info, this.#serverOptions)
    server.setRequestHandler('tools/call', ({ params }, context) =>
      counted(this.#calls, this.#call(params, { caller, context }, server)),
    )
    // Most requests are calls, and their servers are theirs alone.
    if (method !== 'tools/call') this.#serveRest(server, caller)
    return server
  }

  #serveRest(server: Server, caller: Caller): void {
    const wrapped = <Result>(answer: Promise<Result>) =>
      answer.catch((error: unknown) => {
        throw protocolError(error, this.#options.runtime.logger)
      })
    server.setRequestHandler('tools/list', () => ({ tools: Array.from(this.#tools.values(), ({ listed }) => listed) }))
    server.setRequestHandler('resources/list', ({ params }) =>
      wrapped(listConversations(caller, params?.cursor, this.#context)),
    )
    server.setRequestHandler('resources/templates/list', () => resourceTemplates(this.#context))
    server.setRequestHandler('resources/read', ({ params: { uri } }) =>
      wrapped(uri === this.#app?.uri ? this.#app.read() : readResource(caller, uri, this.#context)),
    )
    const { tasks } = this.#context
    if (tasks !== undefined) {
      serveTasks(server, tasks, (context) => this.#callOf(caller, context, server), this.#options.runtime.logger)
    }
    if (this.#prompts.list.length > 0) {
      server.setRequestHandler('prompts/list', () => ({ prompts: [...this.#prompts.list] }))
      server.setRequestHandler('prompts/get', ({ params }) => this.#prompts.get(params.name))
    }
  }

  async idle(): Promise<void> {
    while (this.#calls.size > 0) await Promise.allSettled(this.#calls.keys())
  }

  /** Resolves when no exposed tool runs; calls that wait for turns are answered when those have ended. */
  async drained(): Promise<void> {
    while (this.#exposedCalls.size > 0) await Promise.allSettled(this.#exposedCalls.keys())
  }

  async #call(
    params: { readonly name: string; readonly arguments?: unknown },
    { caller, context }: { readonly caller: Caller; readonly context: ServerContext },
    server: Server,
  ): Promise<CallToolResult | InputRequiredResult> {
    const tool = this.#tools.get(params.name)
    if (tool === undefined) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool '${params.name}'.`)
    }
    let leave = () => {}
    try {
      leave = this.#open.enter(caller)
      const who = withRequestMeta(caller, context.mcpReq._meta, this.#options.agent.id)
      const capabilities = capabilitiesOf(context, server)
      const knownBy = tool.isExposed === true ? who : await this.#byItsCard(who)
      const called = tool.call(params.arguments, { caller: knownBy, context, capabilities })
      return await (tool.isExposed === true ? counted(this.#exposedCalls, called) : called)
    } catch (error) {
      if (error instanceof ProtocolError) throw error
      return failedCall(error, this.#options.runtime.logger)
    } finally {
      leave()
    }
  }

  /** A request of a conversation that is no call of a tool. */
  async #callOf(caller: Caller, context: ServerContext, server: Server): Promise<AskCall> {
    const who = withRequestMeta(caller, context.mcpReq._meta, this.#options.agent.id)
    return { caller: await this.#byItsCard(who), context, capabilities: capabilitiesOf(context, server) }
  }

  /** The caller with what the card says that it names; what it claims without one counts for nothing. */
  async #byItsCard(caller: Caller): Promise<Caller> {
    const { card, principal, network } = caller
    const read = card === undefined ? undefined : await this.#options.callerCards?.of(card, { principal, network })
    return read === undefined ? caller : { ...caller, consumes: read.consumes }
  }
}

function counted<Result>(calls: CompactingMap<Promise<unknown>, true>, call: Promise<Result>): Promise<Result> {
  const one = call.finally(() => calls.delete(one))
  calls.set(one, true)
  return one
}

/** What the client can do: since 2026-07-28 each request says so, before that the first one did. */
function capabilitiesOf({ mcpReq }: ServerContext, server: Server): ClientCapabilities | undefined {
  const envelope = mcpReq.envelope as Record<string, unknown> | undefined
  return (envelope?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined) ?? server.getClientCapabilities()
}

/** Counts the open calls of each principal; of guests, those that come from one place count together. */
export class CallCount {
  readonly #max: number
  readonly #open = new CompactingMap<string, number>()

  constructor(max: number) {
    this.#max = max
  }

  /** Returns what to call when the call is over. */
  enter({ principal, network = '' }: Caller): () => void {
    // Any caller can have any number of guest tokens.
    const isGuest = principal === undefined || principal.kind === 'anonymous'
    const key = isGuest ? network : `${principal.tenant}~${principalKey(principal)}`
    const open = this.#open.get(key) ?? 0
    if (open >= this.#max) {
      throw new BeachError('TOO_MANY', `${open} calls are open already. Wait until one of them is answered.`)
    }
    this.#open.set(key, open + 1)
    return () => {
      const left = (this.#open.get(key) ?? 1) - 1
      if (left === 0) this.#open.delete(key)
      else this.#open.set(key, left)
    }
  }
}

const stateSeconds = 24 * 60 * 60

/** Signs and reads the states of unfinished calls, which their callers keep: the first secret signs, all verify. */
function requestStates(secret: Secret): RequestStateCodec<AskState> {
  const codecs = secretKeys(secret).map((key) =>
    createRequestStateCodec<AskState>({
      key: hmacOf(key, 'beach-mcp-request-state'),
      ttlSeconds: stateSeconds,
      bind: ({ http }) => http?.authInfo?.clientId ?? '',
    }),
  )
  const [signing, ...others] = codecs
  if (signing === undefined) throw new TypeError('There is no key.')
  return {
    mint: (state, context) => signing.mint(state, context),
    async verify(state, context) {
      for (const codec of others) {
        const found = await codec.verify(state, context).catch(() => undefined)
        if (found !== undefined) return found
      }
      return signing.verify(state, context)
    },
  }
}
