import type { ErrorRuntime } from '@cool-ai/beach-channel/http'
import type {
  GetPromptResult,
  InputRequiredResult,
  ListPromptsResult,
  ListResourcesResult,
  ListResourceTemplatesResult,
  ListToolsResult,
  ReadResourceResult,
  Server,
} from '@modelcontextprotocol/server'
import type { AppResource } from './app-resource.ts'
import type { Caller } from './caller.ts'
import type { ExamplePrompts } from './example-prompts.ts'
import type { ExtendedServer } from './extended-server.ts'
import type { ServedTool } from './served-tools.ts'
import { listConversations, readResource, resourceTemplates, type ResourcesContext } from './session-resources.ts'
import { protocolError } from './wire-errors.ts'

/** What a server of an agent lists for a caller. */
export interface Served {
  readonly caller: Caller
  readonly tools: ReadonlyMap<string, ServedTool>
  readonly prompts: ExamplePrompts
  readonly app: AppResource | undefined
  readonly context: ResourcesContext
  /** What the application offers besides the agent. */
  readonly others: ExtendedServer | undefined
  readonly runtime: ErrorRuntime
}

/** Serves tools, resources and prompts as lists: those of the agent, and after them those of the application. */
export function serveLists(server: Server, served: Served): void {
  const { tools, others, prompts } = served
  server.setRequestHandler('tools/list', async (request, context) => {
    const more = await others?.answer<ListToolsResult>('tools/list', request, context)
    return { tools: [...Array.from(tools.values(), ({ listed }) => listed), ...(more?.tools ?? [])] }
  })
  serveResources(server, served)
  if (prompts.list.length > 0 || others?.has('prompts/list') === true) servePrompts(server, served)
}

function serveResources(server: Server, { caller, app, others, context: about, runtime }: Served): void {
  const wrapped = <Result>(answer: Promise<Result>) =>
    answer.catch((error: unknown) => {
      throw protocolError(error, runtime)
    })
  server.setRequestHandler('resources/list', async (request, context) => {
    const cursor = request.params?.cursor
    const page = await wrapped(listConversations(caller, cursor, about))
    // What the application has stands on the first page.
    if (cursor !== undefined) return page
    const more = await others?.answer<ListResourcesResult>('resources/list', request, context)
    return { ...page, resources: [...(more?.resources ?? []), ...page.resources] }
  })
  server.setRequestHandler('resources/templates/list', async (request, context) => {
    const more = await others?.answer<ListResourceTemplatesResult>('resources/templates/list', request, context)
    return { resourceTemplates: [...resourceTemplates(about).resourceTemplates, ...(more?.resourceTemplates ?? [])] }
  })
  server.setRequestHandler('resources/read', async (request, context) => {
    const { uri } = request.params
    if (app !== undefined && uri === app.uri) return wrapped(app.read())
    type Read = ReadResourceResult | InputRequiredResult
    const other = about.uris.isOwn(uri) ? undefined : await others?.answer<Read>('resources/read', request, context)
    return other ?? wrapped(readResource(caller, uri, about))
  })
}

function servePrompts(server: Server, { prompts, others }: Served): void {
  server.setRequestHandler('prompts/list', async (request, context) => {
    const more = await others?.answer<ListPromptsResult>('prompts/list', request, context)
    return { prompts: [...prompts.list, ...(more?.prompts ?? [])] }
  })
  server.setRequestHandler('prompts/get', async (request, context) => {
    const { name } = request.params
    type Got = GetPromptResult | InputRequiredResult
    const other = prompts.has(name) ? undefined : await others?.answer<Got>('prompts/get', request, context)
    return other ?? prompts.get(name)
  })
}
