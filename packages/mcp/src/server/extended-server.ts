import { BeachError, type Principal } from '@cool-ai/beach-core'
import {
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type Implementation,
  type ListToolsResult,
  type RequestStateCodec,
  type ServerContext,
  type ServerOptions,
} from '@modelcontextprotocol/server'

/** What an application knows when it extends the server of a caller. */
export interface ExtensionContext {
  /** The caller, where it has a credential. */
  readonly principal?: Principal | undefined
  /** Signs what a tool that asks wants to know again when it is called again; the agent's secret is its key. */
  readonly mintState: (state: unknown, context: ServerContext) => Promise<string>
}

/**
 * Adds what an application offers by MCP besides its agent, by the functions of the SDK: tools with content of any kind or
 * with questions of their own, resources, prompts. Called for every request, or session of earlier revisions.
 */
export type ExtendServer = (server: McpServer, context: ExtensionContext) => void

/** The methods that agent and application both answer. */
type SharedMethod =
  | 'tools/list'
  | 'tools/call'
  | 'resources/list'
  | 'resources/templates/list'
  | 'resources/read'
  | 'prompts/list'
  | 'prompts/get'

type Handler = (request: unknown, context: ServerContext) => unknown

/** A server with what the application has registered, of which the agent's handlers take the place. */
export class ExtendedServer {
  readonly product: McpServer
  readonly #handlers = new Map<string, Handler>()

  constructor(info: Implementation, options: ServerOptions, extend: ExtendServer, context: ExtensionContext) {
    const { capabilities = {}, ...others } = options
    // With its capabilities given here it would register handlers of its own at once, before they can be watched.
    this.product = new McpServer(info, others)
    const { server } = this.product
    const register = server.setRequestHandler.bind(server) as (...args: unknown[]) => void
    const watched = (...args: unknown[]) => {
      const [method, handler] = args
      if (typeof handler === 'function') this.#handlers.set(String(method), handler as Handler)
      register(...args)
    }
    server.setRequestHandler = watched
    extend(this.product, context)
    server.registerCapabilities(capabilities)
    server.setRequestHandler = register
  }

  /** True when the application has something of this kind. */
  has(method: SharedMethod): boolean {
    return this.#handlers.has(method)
  }

  /** The names of the application's tools. */
  async toolNames(): Promise<string[]> {
    // The SDK's own list of tools looks neither at the request nor at who sends it.
    const listed = await this.#handlers.get('tools/list')?.({}, undefined as unknown as ServerContext)
    return ((listed as ListToolsResult | undefined)?.tools ?? []).map(({ name }) => name)
  }

  /** What the application answers; undefined when it has nothing of this kind. */
  async answer<Result>(method: SharedMethod, request: unknown, context: ServerContext): Promise<Result | undefined> {
    const handler = this.#handlers.get(method)
    return handler === undefined ? undefined : ((await handler(request, withOwnState(context))) as Result)
  }
}

/** The state of an application's call as it is signed: that of the agent's own calls has another form. */
interface OwnState {
  readonly application: unknown
}

export function mintOwnState(codec: RequestStateCodec<OwnState>): ExtensionContext['mintState'] {
  return (state, context) => codec.mint({ application: state }, context)
}

/** True for a state that the application has minted. */
function isOwnState(state: unknown): state is OwnState {
  return typeof state === 'object' && state !== null && 'application' in state
}

function withOwnState(context: ServerContext): ServerContext {
  const state = context.mcpReq.requestState()
  if (state === undefined) return context
  if (!isOwnState(state)) throw new ProtocolError(ProtocolErrorCode.InvalidParams, foreignState)
  const requestState = (() => state.application) as ServerContext['mcpReq']['requestState']
  return { ...context, mcpReq: { ...context.mcpReq, requestState } }
}

const foreignState = 'requestState: this state belongs to another call.'

/** Refuses a state of another call. */
export function refuseOwnState(state: unknown): void {
  if (isOwnState(state)) throw new BeachError('BAD_REQUEST', foreignState)
}
