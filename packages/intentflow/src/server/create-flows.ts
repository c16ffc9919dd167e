import type {
  Channel,
  PartTypeDeclaration,
  PartTypeRegistry,
  PlainTool,
  Principal,
  Runtime,
  Slice,
} from '@cool-ai/beach-core'
import type { Secret } from '@cool-ai/beach-core/tokens'
import type { PropsChange } from '../definition/event-handlers.ts'
import type { FlowUser } from '../definition/permissions.ts'
import type { FlowRegistry } from '../registry/flow-registry.ts'
import { FlowError } from '../schemas/flow-error.ts'
import type { Values } from '../schemas/json-problem.ts'
import type { ActionRequest } from '../schemas/action-payload.ts'
import type { DismissReason, RenderPayload } from '../schemas/server-payloads.ts'
import type { ActiveFlows, FlowInstance } from '../state/flow-instance.ts'
import { FlowGateway } from './flow-gateway.ts'
import { FlowRules } from './flow-rules.ts'
import { flowEffects, nextFlowTime } from './flow-work.ts'
import type { FlowRunContext } from './work-run.ts'
import { flowsNs, initialFlows, neededFlows, type FlowsState, type PendingAction } from './flows-state.ts'
import { foldFlows } from './fold-flows.ts'
import { turnTools } from './flow-tools.ts'
import type { FlowToolContext } from './flow-tool-context.ts'
import { invokeFlow } from './hydrate.ts'
import { linkTokens, linkPath } from './readable.ts'
import { peerTools } from './mcp-tools.ts'
import { flowPartTypes } from './part-types.ts'
import { type FlowAnswer, handleClientRequest } from './handle-client-request.ts'
import { actionResponsePayloadSchema } from '../schemas/client-payloads.ts'
import { jsonSchemaOf, type JsonSchema } from '../schemas/json-schemas.ts'
import type { HandleContext, HandleOutcome } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import { InstanceChanges } from './instance-changes.ts'
import { isOwnInput, takeOwnInput } from './take-own-input.ts'
import { EventBatch } from './event-batch.ts'
import { linkAnswer, type LinkContext } from './link-pages.ts'

/** What the server's side of flows is made of. */
export interface FlowsOptions {
  readonly registry: FlowRegistry
  readonly runtime: Runtime
  /** The one that `createBeach` is given; signs links. */
  readonly secret: Secret
  /**
   * The roles and features of a user; asked with every event, so both must answer at once. The roles of the principal when
   * left out.
   */
  readonly rolesOf?: ((principal: Principal) => readonly string[]) | undefined
  readonly featuresOf?: ((principal: Principal) => readonly string[]) | undefined
  /** Where others reach the agent, such as `https://agent.example`; without it there are no links. */
  readonly publicUrl?: string | undefined
  /** Whose sessions the program acts in when it is not told for whom; `default` when left out, as for createBeach. */
  readonly tenant?: string | undefined
  readonly limits?:
    | {
        /** Flows that a session may have open; 50 when left out. */
        readonly activeFlows?: number | undefined
      }
    | undefined
  /** Tells clients details of permissions and of our own failures. Not for production. */
  readonly debug?: boolean | undefined
}

/** An event for an instance, as a client would send it. */
export interface DispatchedEvent {
  readonly event: string
  readonly payload?: Values | undefined
  /** The same one twice is one event; a new one when left out. */
  readonly eventId?: string | undefined
  readonly expectedSeq?: number | undefined
}

/** The flows of an agent: give `slice`, `channel()` and `partTypes` to createBeach. */
export interface Flows {
  readonly slice: Slice<FlowsState>
  readonly registry: FlowRegistry
  channel(): Channel
  readonly partTypes: readonly PartTypeDeclaration[]
  /** @deprecated Give `partTypes` to createBeach. */
  registerPartTypes(partTypes: PartTypeRegistry): void
  /** The flows as tools of an actor's turn. */
  tools(): PlainTool[]
  /** The flows as tools for callers of MCP. */
  mcpTools(): PlainTool[]
  /** A user with their roles and features, as permissions are checked by. */
  who(principal: Principal): FlowUser
  /** Opens a flow for a user; what its render says. */
  invoke(
    session: string,
    what: { readonly intentId: string; readonly entities?: Values | undefined },
    by: Principal,
  ): Promise<RenderPayload>
  /** What a client says, for a user: events, invocations, what is known. */
  say(session: string, said: unknown, by: Principal): Promise<FlowAnswer>
  /**
   * An event of a user; refused like a client's. Resolves when what it leads to is done, with `code` and `message`
   * where its handler has failed.
   */
  dispatch(
    session: string,
    instanceId: string,
    event: DispatchedEvent,
    by: Principal,
  ): Promise<FlowAnswer['results'][number]>
  /** An event of the server's own. */
  send(session: string, instanceId: string, event: string, payload?: Values, by?: Principal): Promise<void>
  update(session: string, instanceId: string, change: PropsChange, by?: Principal): Promise<void>
  dismiss(session: string, instanceId: string, reason: DismissReason, result?: Values, by?: Principal): Promise<void>
  /** Asks the client to do something with its device. */
  action(session: string, request: ActionRequest, by?: Principal): Promise<{ readonly actionId: string }>
  active(session: string, by?: Principal): Promise<ActiveFlows>
  instance(session: string, instanceId: string, by?: Principal): Promise<FlowInstance | undefined>
}

/** The engine of flows on the sessions of Beach. */
export function createFlows(options: FlowsOptions): Flows {
  const { registry, runtime, secret, publicUrl, rolesOf, featuresOf, tenant = 'default' } = options
  const rules = new FlowRules({
    registry,
    maxFlows: options.limits?.activeFlows ?? 50,
    debug: options.debug === true,
    logger: runtime.logger,
    rolesOf,
    featuresOf,
  })
  const gateway = new FlowGateway(runtime.clock)
  const readable = { rules, tokens: linkTokens(secret), publicUrl }
  const partTypes = flowPartTypes(readable)
  const tools: FlowToolContext = { ...readable, gateway, runtime, registry, secret }
  const work: FlowRunContext = { runtime, rules, slice: () => slice }
  const slice = flowsSlice(work)
  const program: Principal = { kind: 'operator', id: flowsNs, tenant }
  const never = new AbortController().signal
  return {
    slice,
    registry,
    channel: () => flowChannel({ ...readable, gateway, registry }),
    partTypes,
    registerPartTypes(known) {
      for (const type of partTypes) if (!known.has(type.partType)) known.register(type)
    },
    tools: () => turnTools(tools),
    mcpTools: () => peerTools(tools),
    who: (principal) => rules.who(principal),
    async invoke(session, what, by) {
      const render = await invokeFlow(session, what, by, tools, never)
      if (render === undefined) throw new FlowError('INTERNAL_ERROR')
      return render
    },
    say: async (session, said, by) => (await gateway.say(session, said, by)).answer,
    async dispatch(session, instanceId, { eventId = runtime.id('evt'), ...event }, by) {
      const value = { v: 1, eventId, instanceId, ...event }
      const reply = await gateway.say(session, { events: [{ type: 'CUSTOM', name: 'intentflow.event', value }] }, by)
      const [result] = reply.answer.results
      if (result === undefined) throw new FlowError('INTERNAL_ERROR')
      const shown = await gateway.outcome(session, reply, by, never)
      const failure = shown.findLast((one) => one.name === 'intentflow.error' && one.value.inReplyTo === eventId)
      if (failure?.name !== 'intentflow.error' || result.status === 'rejected') return result
      const { code, message } = failure.value
      return { ...result, code, message }
    },
    async send(session, instanceId, event, payload, by = program) {
      await gateway.own(session, { kind: 'send', instanceId, event, payload }, by)
    },
    async update(session, instanceId, change, by = program) {
      await gateway.own(session, { kind: 'update', instanceId, change }, by)
    },
    async dismiss(session, instanceId, reason, result, by = program) {
      await gateway.own(session, { kind: 'dismiss', instanceId, reason, result }, by)
    },
    async action(session, request, by = program) {
      return (await gateway.own(session, { kind: 'action', request }, by)).answer as { actionId: string }
    },
    active: async (session, by = program) => (await gateway.look(session, by)).flows,
    async instance(session, instanceId, by = program) {
      const { flows } = await gateway.look(session, by)
      return Object.hasOwn(flows, instanceId) ? flows[instanceId] : undefined
    },
  }
}

function flowsSlice(runContext: FlowRunContext): Slice<FlowsState> {
  return {
    ns: flowsNs,
    version: 1,
    initial: initialFlows,
    fold: foldFlows,
    handle: (state, said, context) => handleFlows(state, said, context, runContext.rules),
    shown: ({ flows }) => ({ activeFlows: flows }),
    inputRequests: ({ actions }) => actions.map(askOf),
    neededSince: neededFlows,
    effects: (state, now) => flowEffects(state, now, runContext),
    nextWakeAt: nextFlowTime,
  }
}

/** An action that waits for an answer, as a question to the participants. */
function askOf({ actionId, message, expiresAt }: PendingAction) {
  const until = new Date(expiresAt).toISOString()
  const responseSchema = actionResponseSchema()
  return defined({ id: actionId, reason: 'intentflow:action', message, responseSchema, expiresAt: until })
}

let made: JsonSchema | undefined

/** The JSON Schema of the answer to an action; which action it answers is known by the question. */
function actionResponseSchema(): JsonSchema {
  made ??= jsonSchemaOf(actionResponsePayloadSchema.omit({ actionId: true }))
  return made
}

/** What something that is said of flows leads to, by a client or by the program itself. */
function handleFlows(state: FlowsState, said: unknown, context: HandleContext, rules: FlowRules): HandleOutcome {
  // Flows belong to their owner, whatever the caller: it is the owner who can have them erased.
  const owner = state.owner ?? context.by
  const moves = new InstanceChanges(new EventBatch({ ...state, owner }, { ...context, by: owner }), rules)
  if (isOwnInput(said)) return takeOwnInput(moves, said.request, context)
  return handleClientRequest(moves, said, context.by)
}

interface FlowChannelContext extends LinkContext {
  readonly registry: FlowRegistry
}

const manifestPath = '/intentflow/manifest'

/** A signed-in user of whom nothing more is known. */
const anyUser: Principal = { kind: 'user', id: 'anybody', tenant: 'any' }

/** The channel of flows: gives the engine its sessions, and serves the pages of links and what there is to be known of the flows. */
function flowChannel(context: FlowChannelContext): Channel {
  return {
    transport: 'intentflow',
    deliveryClass: 'streaming',
    paths: [manifestPath, linkPath(':token')],
    secretPaths: [linkPath(':token')],
    start: async ({ sessions }) => context.gateway.open(sessions),
    openapi: async () => (await import('./flow-openapi.ts')).flowOpenApi(manifestPath, linkPath(':token')),
    fetch: async (request) => {
      if (new URL(request.url).pathname === manifestPath) return manifest(request, context.registry)
      return linkAnswer(request, context)
    },
  }
}

/** The flows that are not for some people only; reading it needs no credential. */
function manifest({ method }: Request, registry: FlowRegistry): Response {
  if (method !== 'GET' && method !== 'HEAD') return new Response(null, { status: 405, headers: { allow: 'GET, HEAD' } })
  const headers = { 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' }
  return Response.json(registry.toCapabilityManifest({ allowedFor: { principal: anyUser } }), { headers })
}
