import { Extensions, type AgentCard } from '@a2a-js/sdk'
import { ExtensionSupportRequiredError, VersionNotSupportedError } from '@a2a-js/sdk/errors'
import type { AgentContext, ArtifactLinkOf } from '@cool-ai/beach-channel'
import { StreamCount } from '@cool-ai/beach-channel/admission'
import { bodyLimits, errorResponse, jsonResponse, readJson, remoteNetwork } from '@cool-ai/beach-channel/http'
import { Heartbeats, textEvents, until } from '@cool-ai/beach-channel/live'
import { BeachError, type Authenticator, type Channel, type Principal } from '@cool-ai/beach-core'
import { askAuthenticator } from '@cool-ai/beach-core/ports'
import { a2aPreview } from './a2a-preview.ts'
import { A2aTasks } from './a2a-tasks.ts'
import type { AgentKey } from './agent-key.ts'
import type { A2aVersion, A2aInterface, Caller } from './caller.ts'
import { withRpcErrorIds } from './error-id.ts'
import { Guests, type GuestsOptions } from './guests.ts'
import { Intake, type Authorise } from './intake.ts'
import { answerJsonRpc, readRequest, type RpcAnswer } from './json-rpc.ts'
import { answerLegacyJsonRpc } from './legacy-json-rpc.ts'
import { answerLegacyRest, legacyRestError } from './legacy-rest.ts'
import { legacyHandlers, type Legacy } from './legacy-handler.ts'
import { inputModesOf } from './media-types.ts'
import { Operations } from './operations.ts'
import { PageAccess } from './page-access.ts'
import { PushConfigs } from './push-configs.ts'
import { PushSender, type PushFetch } from './push-sender.ts'
import { answerRest } from './rest.ts'
import { TaskReading } from './task-reading.ts'
import { jsonRpcError, restError, type WireError } from './wire-errors.ts'

export interface A2aServerOptions extends Pick<
  AgentContext,
  | 'runtime'
  | 'partTypes'
  | 'turnStates'
  | 'sessions'
  | 'signal'
  | 'callerCards'
  | 'body'
  | 'heartbeatMs'
  | 'maxOpen'
  | 'maxOpenPerNetwork'
  | 'publicUrl'
  | 'artifacts'
> {
  /** The agent's card, which says what of A2A it can do. */
  readonly card: () => AgentCard
  /** This agent's id, by which a request that comes back to it is recognised. */
  readonly agentId: string
  /** What more there is to know for authenticated callers. */
  readonly extendedCard: () => AgentCard | undefined
  /** Who of those may read it. */
  readonly extendedFor: (principal: Principal) => boolean
  /** Who comes by this way in; undefined where it needs no credential; throws where it needs another one. */
  readonly authenticate: (request: Request, way: A2aInterface) => ReturnType<Authenticator>
  /** Lets callers in who bring no credential, each context as a guest of its own; without it a credential is needed. */
  readonly guests: GuestsOptions | undefined
  /** Refuses, by throwing, a message that its principal lacks the scopes for. */
  readonly authorise: Authorise
  /** A link to an artifact of a session, for viewers of that session. */
  readonly artifactLink: ArtifactLinkOf | undefined
  /** How many bytes of files go with one answer that is no stream; 256 kB when left out. */
  readonly attachBytes: number | undefined
  /** How push notifications are sent, to addresses that callers choose. */
  readonly fetch: PushFetch
  /** What all push notifications are signed with; without it only those whose config has a token are. */
  readonly key: AgentKey | undefined
  /** How long pieces of text are gathered before they are sent together; 75 ms when left out. */
  readonly gatherMs: number | undefined
  /** Origins of other sites whose pages may call. */
  readonly origins: readonly string[] | undefined
}

const rest = '/a2a/rest'
/** A guest who has named no context; nothing is ever theirs. */
const anonymousGuest = { kind: 'anonymous', id: 'a2a-guests' } as const

type StreamedAnswer = Extract<RpcAnswer, { stream: unknown }>

/** Answers A2A 1.0 and 0.3, by JSON-RPC and by HTTP+JSON. */
export class A2aServer {
  readonly sender: PushSender
  readonly preview: NonNullable<Channel['preview']>
  readonly #options: A2aServerOptions
  readonly #open: StreamCount
  readonly #heartbeats: Heartbeats
  readonly #extensions: ReadonlySet<string>
  readonly #operations: Operations
  readonly #legacy: Legacy
  readonly #pages: PageAccess

  constructor(options: A2aServerOptions) {
    const { runtime, sessions, partTypes, agentId, authorise, callerCards, fetch, key, gatherMs = 75 } = options
    this.#options = options
    this.#pages = new PageAccess(options)
    this.#open = new StreamCount(options.maxOpen ?? 200, options.maxOpenPerNetwork)
    this.#heartbeats = new Heartbeats(runtime.clock, options.heartbeatMs ?? 15_000)
    const card = options.card()
    this.#extensions = new Set(card.capabilities?.extensions.map(({ uri }) => uri))
    const guests = options.guests && new Guests(options.guests, runtime, sessions)
    const reading = new TaskReading(sessions, options)
    const pushConfigs = new PushConfigs({
      sessions,
      runtime,
      isSupported: card.capabilities?.pushNotifications === true,
      check: (url) => fetch.check?.(url),
      isOver: async (taskId, caller) => (await reading.find(taskId, caller, 'buffered')).projection.isTerminal,
    })
    const inputModes = inputModesOf(card)
    const spoken = () => [options.card(), options.extendedCard() ?? []].flat()
    const taking = { runtime, partTypes, agentId, authorise, inputModes, pushConfigs, guests, callerCards }
    const intake = new Intake(sessions, reading, { ...taking, cards: spoken })
    const tasks = new A2aTasks({ runtime, sessions, reading, intake, gatherMs })
    const { extendedCard, extendedFor } = options
    const cards = { card: options.card, extendedCard, extendedFor }
    this.#operations = new Operations({ sessions, reading, tasks, pushConfigs, guests, ...cards })
    this.#legacy = legacyHandlers(this.#operations, runtime)
    this.sender = new PushSender({ runtime, sessions, reading, fetch, key })
    this.preview = a2aPreview(options)
  }

  async fetch(request: Request): Promise<Response> {
    try {
      const forPage = this.#pages.headers(request)
      if (request.method === 'OPTIONS') return this.#pages.preflight(request)
      const response = await this.#answer(request)
      for (const [name, value] of Object.entries(forPage)) response.headers.set(name, value)
      return response
    } catch (error) {
      return errorResponse(error, this.#options.runtime)
    }
  }

  #answer(request: Request): Promise<Response> {
    const url = new URL(request.url)
    if (url.pathname === '/a2a' || url.pathname === '/a2a/') return this.#jsonRpc(request, url)
    if (url.pathname.startsWith(`${rest}/`)) return this.#rest(request, url)
    throw new BeachError('NOT_FOUND', `There is nothing at ${url.pathname}.`)
  }

  async #jsonRpc(request: Request, url: URL): Promise<Response> {
    const { runtime } = this.#options
    if (request.method !== 'POST') {
      const refusal = new BeachError('METHOD_NOT_ALLOWED', 'Use POST here.', { details: { allow: 'POST' } })
      return errorResponse(refusal, runtime)
    }
    let id: unknown = null
    try {
      return await this.#serving(
        request,
        { way: { binding: 'JSONRPC', version: supportedVersionOf(request, url) }, types: ['application/json'] },
        (json) => {
          const read = readRequest(json)
          if ('id' in read) id = read.id
          return versionOf(request, url)
        },
        async (json, caller) => {
          const [operations, legacy] = [this.#operations, this.#legacy]
          const answer =
            caller.version === '1.0'
              ? await answerJsonRpc(json, { operations, caller, runtime })
              : await answerLegacyJsonRpc(json, legacy, { caller, runtime })
          return 'stream' in answer
            ? answer
            : { ...answer, body: withRpcErrorIds(answer.body, caller.version, runtime) }
        },
      )
    } catch (error) {
      const { status, headers, body } = jsonRpcError(error, runtime)
      return jsonResponse({ jsonrpc: '2.0', id, error: body }, status, headers)
    }
  }

  async #rest(request: Request, url: URL): Promise<Response> {
    const { runtime } = this.#options
    const path = url.pathname.slice(rest.length)
    const isLegacy = path.startsWith('/v1/')
    try {
      const types = ['application/json', 'application/a2a+json']
      return await this.#serving(
        request,
        { way: { binding: 'HTTP+JSON', version: isLegacy ? '0.3' : supportedVersionOf(request, url) }, types },
        () => {
          const version = isLegacy ? '0.3' : versionOf(request, url)
          if (version === '0.3' && !isLegacy) throw unsupported('0.3', 'It is at the paths that begin with /v1.')
          return version
        },
        (json, caller) => {
          const [operations, legacy] = [this.#operations, this.#legacy]
          const call = { method: request.method, path, query: url.searchParams, json }
          const answering = { operations, caller, runtime }
          return isLegacy ? answerLegacyRest(call, legacy, answering) : answerRest(call, answering)
        },
      )
    } catch (error) {
      return toResponse(isLegacy ? legacyRestError(error, runtime) : restError(error, runtime))
    }
  }

  /**
   * Answers a request; the caller is authenticated first: no body is read before that. The caller is let
   * go when it is over, which may be long after it began.
   */
  async #serving(
    request: Request,
    { way, types }: { readonly way: A2aInterface; readonly types: readonly string[] },
    versionIn: (json: unknown) => A2aVersion,
    answer: (json: unknown, caller: Caller) => Promise<RpcAnswer>,
  ): Promise<Response> {
    const { signal: ending } = this.#options
    const known = (await askAuthenticator((asked) => this.#options.authenticate(asked, way), request))?.principal
    const { guests } = this.#options
    const principal: Principal | undefined = known ?? (guests && { ...anonymousGuest, tenant: guests.tenant })
    if (principal === undefined) {
      throw new BeachError('UNAUTHENTICATED', 'Send a credential, as the Agent Card says.')
    }
    const network = remoteNetwork(request)
    const exit = known === undefined ? this.#open.enter(principal, network) : this.#open.enterFrom(known, network)
    const end = until(request.signal, ending)
    const leave = () => {
      exit()
      end.now()
    }
    try {
      const { body: limits = bodyLimits, runtime } = this.#options
      const json = await readJson(request, { limits, types, clock: runtime.clock, caller: known })
      const version = versionIn(json)
      const extensions = this.#activated(request)
      const caller = { principal, version, network, isGuest: known === undefined, extensions, signal: end.signal }
      const answered = await answer(json, caller)
      if (!('body' in answered)) return this.#streamed(request, answered, extensions, leave)
      exit()
      end.release()
      return toResponse({ ...answered, headers: { ...answered.headers, ...namedIn(extensions, request) } })
    } catch (error) {
      leave()
      throw error
    }
  }

  #streamed(
    request: Request,
    { stream, onError }: StreamedAnswer,
    extensions: Extensions,
    leave: () => void,
  ): Response {
    const headers = { ...namedIn(extensions, request), ...this.#pages.headers(request) }
    return textEvents(request, stream, { heartbeats: this.#heartbeats, onError, onEnd: leave, headers })
  }

  /** The extensions that the caller asks for and the agent has; those that it insists on must be asked for. */
  #activated({ headers }: Request): Extensions {
    const header = headers.get(extensionHeader) ?? headers.get(earlierExtensionHeader)
    const asked = header === null ? [] : Extensions.parseServiceParameter(header)
    const missing = this.#options
      .card()
      .capabilities?.extensions.find(({ required, uri }) => required && !asked.includes(uri))
    if (missing !== undefined) {
      throw new ExtensionSupportRequiredError(
        `This agent needs the extension ${missing.uri}. Name it in A2A-Extensions.`,
      )
    }
    return asked.filter((uri) => this.#extensions.has(uri))
  }
}

// The header was renamed with version 1.0.
const extensionHeader = 'a2a-extensions'
const earlierExtensionHeader = 'x-a2a-extensions'

/** Which extensions are spoken, where any are, by the name that the caller has for it. */
function namedIn(extensions: Extensions, { headers }: Request): Record<string, string> {
  const name = headers.has(extensionHeader) ? extensionHeader : earlierExtensionHeader
  return extensions.length === 0 ? {} : { [name]: Extensions.toServiceParameter(extensions) }
}

/** The version that a request is in; one without any is of 0.3, which had no such header. */
function versionOf({ headers }: Request, url: URL): A2aVersion {
  const named = (headers.get('a2a-version') ?? url.searchParams.get('A2A-Version') ?? '').trim()
  if (named === '' || /^0\.3(\.\d+)?$/.test(named)) return '0.3'
  if (/^1\.0(\.\d+)?$/.test(named)) return '1.0'
  throw unsupported(named.slice(0, 20), 'Use 1.0 or 0.3.')
}

/** The version whose rules a request has to meet; one that is not spoken is refused once the call's id is known. */
function supportedVersionOf(request: Request, url: URL): A2aVersion {
  try {
    return versionOf(request, url)
  } catch {
    return '1.0'
  }
}

function unsupported(version: string, advice: string): Error {
  return new VersionNotSupportedError(`A2A ${version} is not spoken here. ${advice}`)
}

function toResponse({ status, headers, body }: WireError<unknown>): Response {
  return status === 204 ? new Response(null, { status, headers }) : jsonResponse(body, status, headers)
}
