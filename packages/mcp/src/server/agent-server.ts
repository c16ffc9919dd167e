import { started, type AgentAbout, type ArtifactLinkOf } from '@cool-ai/beach-channel'
import { askToolName } from '@cool-ai/beach-channel/peers'
import type { CardReader } from '@cool-ai/beach-channel/cards'
import { Heartbeats } from '@cool-ai/beach-channel/live'
import {
  type ArtifactStore,
  type PartTypeRegistry,
  type PlainTool,
  type Runtime,
  type Sessions,
} from '@cool-ai/beach-core'
import { CompactingMap, defined } from '@cool-ai/beach-core/runtime'
import type { Secret } from '@cool-ai/beach-core/tokens'
import {
  CLIENT_CAPABILITIES_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type ClientCapabilities,
  type Implementation,
  type InputRequiredResult,
  type McpServer,
  Server,
  type ServerContext,
  type ServerOptions,
} from '@modelcontextprotocol/server'
import { answerContext } from './answer-result.ts'
import { appResource, type AppResource, type McpApp } from './app-resource.ts'
import type { AskCall, AskContext, AskState } from './ask-tool.ts'
import { CallCount } from './call-count.ts'
import type { Caller } from './caller.ts'
import { Conversations, defaultConsumes } from './conversations.ts'
import { ExamplePrompts } from './example-prompts.ts'
import {
  ExtendedServer,
  mintOwnState,
  refuseOwnState,
  type ExtendServer,
  type ExtensionContext,
} from './extended-server.ts'
import { withRequestMeta } from './request-meta.ts'
import { requestStates } from './request-states.ts'
import { refusal, servedTools, type ServedTool } from './served-tools.ts'
import { serveLists } from './serve-lists.ts'
import type { ResourcesContext } from './session-resources.ts'
import { CallTasks, type TaskOptions } from './tasks/call-tasks.ts'
import { serveTasks } from './tasks/task-methods.ts'
import { listenToTasks } from './tasks/task-subscriptions.ts'
import { tasksExtension } from './tasks/task-shape.ts'
import { failedCall, protocolError } from './wire-errors.ts'

export interface AgentServerOptions {
  readonly runtime: Runtime
  /** Reads the Agent Cards that callers name; without it they get what strangers get. */
  readonly callerCards?: CardReader | undefined
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
  /** Adds what the application offers by MCP besides its agent. */
  readonly extend?: ExtendServer | undefined
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
  /** How often a stream that is open is heard of. */
  readonly keepAliveMs?: number | undefined
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
  readonly #mintOwnState: ExtensionContext['mintState']
  readonly #calls = new CompactingMap<Promise<unknown>, true>()
  /** Those of them that run a tool themselves, and wait for no turn. */
  readonly #exposedCalls = new CompactingMap<Promise<unknown>, true>()
  readonly #open: CallCount
  readonly #heartbeats: Heartbeats
  #sessions: Sessions | undefined
  #ending = new AbortController().signal

  constructor(options: AgentServerOptions) {
    const { runtime, agent, secret, tenant, artifacts } = options
    const tool = options.tool ?? askToolName(agent.id)
    const sessions = () => started(this.#sessions)
    const states = requestStates<AskState>(secret)
    this.#options = options
    this.#mintOwnState = mintOwnState(requestStates(secret))
    this.#info = { name: agent.id, title: agent.name, version: agent.version ?? '0.0.0' }
    this.#open = new CallCount(options.maxCalls ?? 200)
    this.#heartbeats = new Heartbeats(runtime.clock, options.keepAliveMs ?? 15_000)
    this.#context = {
      runtime,
      sessions,
      conversations: new Conversations({
        sessions,
        runtime,
        secret,
        tenant,
        consumes: options.consumes ?? defaultConsumes,
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
      ...defined({ instructions: agent.description }),
      inputRequired: { maxRounds: 20 },
      requestState: { verify: (state, context) => states.verify(state, context) },
    }
  }

  /** Refuses an extension that would take the place of something of the agent's. */
  async start(sessions: Sessions, ending: AbortSignal): Promise<void> {
    this.#sessions = sessions
    this.#ending = ending
    for (const name of (await this.#extended({})?.toolNames()) ?? []) {
      if (this.#tools.has(name)) throw refusal(name, 'there are two of it.')
    }
  }

  /** A server for one caller: for a connection, or for a request, which may say by which method it comes. */
  server(caller: Caller, method?: string): Server | McpServer {
    const others = this.#extended(caller)
    const server = others?.product.server ?? new Server(this.#info, this.#serverOptions)
    const { telemetry } = this.#options.runtime
    server.setRequestHandler('tools/call', (request, context) => {
      const call = () => counted(this.#calls, this.#call(request, { caller, context, others }, server))
      const trace = context.mcpReq._meta?.traceparent
      return telemetry !== undefined && typeof trace === 'string' ? telemetry.continuing(trace, call) : call()
    })
    // Most requests are calls, and their servers are theirs alone.
    if (method === 'tools/call' && others === undefined) return server
    const { runtime } = this.#options
    const [tools, prompts, app] = [this.#tools, this.#prompts, this.#app]
    serveLists(server, { caller, tools, prompts, app, context: this.#context, others, runtime })
    const { tasks } = this.#context
    if (tasks !== undefined) {
      const callOf = (context: ServerContext) => this.#callOf(caller, context, server)
      serveTasks(server, { tasks, callOf, enter: () => this.#open.enter(caller), runtime })
    }
    return others?.product ?? server
  }

  #extended({ principal }: Caller): ExtendedServer | undefined {
    const { extend } = this.#options
    const context = { principal, mintState: this.#mintOwnState }
    return extend && new ExtendedServer(this.#info, this.#serverOptions, extend, context)
  }

  /** Answers a request to be told of tasks; undefined for any other. */
  async listen(request: Request, body: unknown, caller: Caller): Promise<Response | undefined> {
    const { tasks } = this.#context
    if (tasks === undefined) return undefined
    const enter = () => this.#open.enter(caller)
    return listenToTasks(request, body, { tasks, caller, ending: this.#ending, heartbeats: this.#heartbeats, enter })
  }

  async idle(): Promise<void> {
    while (this.#calls.size > 0) await Promise.allSettled(this.#calls.keys())
  }

  /** Resolves when no exposed tool runs; calls that wait for turns are answered when those have ended. */
  async drained(): Promise<void> {
    while (this.#exposedCalls.size > 0) await Promise.allSettled(this.#exposedCalls.keys())
  }

  async #call(
    request: ToolRequest,
    { caller, context, others }: Called,
    server: Server,
  ): Promise<CallToolResult | InputRequiredResult> {
    const { name, arguments: args } = request.params
    const tool = this.#tools.get(name)
    let leave = () => {}
    try {
      leave = this.#open.enter(caller)
      if (tool === undefined) return await counted(this.#exposedCalls, applicationTool(others, request, context))
      refuseOwnState(context.mcpReq.requestState())
      const who = withRequestMeta(caller, context.mcpReq._meta, this.#options.agent.id)
      const capabilities = capabilitiesOf(context, server)
      const knownBy = tool.isExposed === true ? who : await this.#byItsCard(who)
      const called = tool.call(args, { caller: knownBy, context, capabilities })
      return await (tool.isExposed === true ? counted(this.#exposedCalls, called) : called)
    } catch (error) {
      if (error instanceof ProtocolError) throw protocolError(error, this.#options.runtime)
      return failedCall(error, this.#options.runtime)
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
    return { ...caller, ...read }
  }
}

interface Called {
  readonly caller: Caller
  readonly context: ServerContext
  readonly others: ExtendedServer | undefined
}

interface ToolRequest {
  readonly params: { readonly name: string; readonly arguments?: unknown }
}

async function applicationTool(others: ExtendedServer | undefined, request: ToolRequest, context: ServerContext) {
  const result = await others?.answer<CallToolResult | InputRequiredResult>('tools/call', request, context)
  if (result === undefined) throw noTool(request.params.name)
  return result
}

function noTool(name: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool '${name}'.`)
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
