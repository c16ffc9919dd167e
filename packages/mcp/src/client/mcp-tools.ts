import { hopsTo, plainWords } from '@cool-ai/beach-channel/peers'
import {
  BeachError,
  systemRuntime,
  type Clock,
  type PlainTool,
  type Runtime,
  type ToolContext,
} from '@cool-ai/beach-core'
import { originName, runningActivity } from '@cool-ai/beach-core/ports'
import { contentHash, defined } from '@cool-ai/beach-core/runtime'
import type { CallToolResult, ContentBlock, Progress, Tool } from '@modelcontextprotocol/client'
import { hopsKey } from '../server/request-meta.ts'
import type { FillIn } from './elicitation.ts'
import { McpConnection } from './mcp-connection.ts'
import type { LocalServer, RemoteServer, ServerAddress } from './server-address.ts'
import { toolChange } from './tool-change.ts'
import { memoryToolPins, toolHash, toPin, type Pins, type ToolPins } from './tool-pins.ts'
import { localName, usableSchema, withoutWords } from './tool-schema.ts'

export type { FillIn } from './elicitation.ts'
export type { LocalServer, RemoteServer } from './server-address.ts'
export { fileToolPins, memoryToolPins, type Pin, type Pins, type ToolPins } from './tool-pins.ts'

/** Whether a call needs an approver; `tainted`: in a turn that has seen foreign content. */
type ApprovalRule = boolean | 'tainted'

interface CommonOptions {
  /** The server's name here; its tools' names begin with it. */
  readonly name: string
  readonly runtime?: Runtime | undefined
  /** Where it is kept what the tools were like; with the process when left out. */
  readonly pins?: ToolPins | undefined
  /** Which of the server's tools to take; all of them when left out. */
  readonly only?: readonly string[] | undefined
  /** Which calls need an approval; what the server says of its tools has no say in it. None when left out. */
  readonly requiresApproval?: ApprovalRule | ((tool: string, input: unknown) => ApprovalRule) | undefined
  /**
   * What of the server's words counts as this agent's own: what it says of its tools (`descriptions`), its answers too
   * (`all`), or nothing, when this is left out. Foreign words are why calls that are `tainted` need an approval.
   */
  readonly trustWords?: 'descriptions' | 'all' | undefined
  /** How long a call may be silent; progress sets it back. A minute when left out. */
  readonly timeoutMs?: number | undefined
  /** How long a call may take in all; an hour when left out. */
  readonly maxMs?: number | undefined
  /** The most characters of a result that a model is shown. */
  readonly maxCharacters?: number | undefined
  /** Fills in forms that the server asks for during a call; without it the server cannot ask. */
  readonly fillIn?: FillIn | undefined
  /** This agent's own id, for the chain of agents. */
  readonly agentId?: string | undefined
}

/** Which MCP server's tools are wanted, and how it is reached. */
export type McpToolsOptions = CommonOptions & (RemoteServer | LocalServer)

/** A tool of an MCP server, as actors take it. */
export interface McpTool extends PlainTool {
  /** True when the call needs an approval: by this agent's rules, or because the tool has changed. */
  readonly requiresApproval: (input: unknown) => boolean | 'tainted'
  /** What the approver should know besides the arguments: what has changed of the tool. */
  readonly approvalNotice: () => string | undefined
}

/** The tools of an MCP server. */
export interface McpTools {
  readonly tools: readonly McpTool[]
  /** Ends the connection and, if it was started here, the server. */
  close(): Promise<void>
}

const maxCharacters = 60_000
const maxProgress = 50
const maxTimeoutMs = 2_147_483_647

/** Connects to an MCP server and gives its tools to actors. */
export async function mcpTools(options: McpToolsOptions): Promise<McpTools> {
  const source = new McpToolSource(options)
  return source.open()
}

class McpToolSource {
  readonly #options: McpToolsOptions
  readonly #runtime: Runtime
  readonly #pins: ToolPins
  readonly #connection: McpConnection
  /** The tools as the server last listed them, by its own names. */
  #present: ReadonlyMap<string, { readonly tool: Tool; readonly hash: string }> = new Map()
  #pinned: Pins = {}
  readonly #requested = new Set<string>()

  constructor(options: McpToolsOptions) {
    this.#options = options
    this.#runtime = options.runtime ?? systemRuntime()
    this.#pins = options.pins ?? memoryToolPins()
    this.#connection = new McpConnection({
      name: options.name,
      address: addressIn(options),
      runtime: this.#runtime,
      onTools: (tools) => this.#listed(tools),
      fillIn: options.fillIn,
    })
  }

  async open(): Promise<McpTools> {
    try {
      // Connecting lists the tools.
      await this.#connection.use({ isIdempotent: true }, async () => {})
    } catch (error) {
      await this.#connection.close()
      throw error
    }
    const taken = new Set<string>()
    const tools = [...this.#present.values()].flatMap(({ tool }) => {
      const schema = usableSchema(tool.inputSchema)
      if (schema === undefined) {
        this.#runtime.logger.log('warn', 'a tool was left out: its schema cannot be checked', { tool: tool.name })
        return []
      }
      const name = localName(this.#options.name, tool.name, taken)
      taken.add(name)
      return [this.#tool(name, tool, schema)]
    })
    return { tools, close: () => this.#connection.close() }
  }

  #tool(
    name: string,
    { name: original, description, annotations }: Tool,
    schema: Readonly<Record<string, unknown>>,
  ): McpTool {
    const isChanged = this.#isChanged(original)
    const { name: server, trustWords: trust } = this.#options
    const origin = originName(`mcp:${server}`)
    return {
      name,
      description: this.#description(description, isChanged),
      inputSchema: isChanged ? withoutWords(schema) : schema,
      // What the server says of its tool counts here: who lies harms only itself.
      idempotent: isRepeatable(annotations),
      tags: ['mcp'],
      sendsTo: origin,
      ...(trust === undefined && { describedBy: origin }),
      ...(trust !== 'all' && { resultOrigin: origin }),
      requiresApproval: (input) => this.#needsApproval(original, input),
      approvalNotice: () => this.#notice(original),
      handler: (input, context) => this.#call(original, input, context),
    }
  }

  /** Our words; what the server says of its tool is a quotation, and only as long as no approval is needed first. */
  #description(said: string | undefined, isChanged: boolean): string {
    const whose = `A tool of the server '${this.#options.name}'.`
    if (isChanged) return `${whose} It has changed since its last use: an approver is asked before it runs.`
    const quoted = plainWords(said ?? '', 2_000).replaceAll('"', "'")
    return quoted === '' ? whose : `${whose} It is described as: "${quoted}"`
  }

  async #listed(tools: readonly Tool[]): Promise<void> {
    const { name, only } = this.#options
    const wanted = tools.filter((tool) => only === undefined || only.includes(tool.name))
    this.#present = new Map(wanted.map((tool) => [tool.name, { tool, hash: toolHash(tool) }]))
    const pinned = await this.#pins.load(name)
    this.#pinned = pinned ?? Object.fromEntries([...this.#present].map(([key, { tool }]) => [key, toPin(tool)]))
    if (pinned === undefined) await this.#pins.save(name, this.#pinned)
    const changed = [...this.#present.keys()].filter((tool) => this.#isChanged(tool))
    if (changed.length > 0) {
      this.#runtime.logger.log('warn', 'tools of an MCP server have changed', { server: name, tools: changed })
    }
  }

  #isChanged(tool: string): boolean {
    return this.#pinOf(tool)?.hash !== this.#present.get(tool)?.hash
  }

  /** Names of tools are foreign, and may be called like a method of Object. */
  #pinOf(tool: string) {
    return Object.hasOwn(this.#pinned, tool) ? this.#pinned[tool] : undefined
  }

  #notice(tool: string): string | undefined {
    const present = this.#present.get(tool)
    if (present === undefined || !this.#isChanged(tool)) return undefined
    return toolChange(this.#options.name, this.#pinOf(tool), present.tool)
  }

  #needsApproval(tool: string, input: unknown): ApprovalRule {
    const { requiresApproval: rule = false } = this.#options
    if (!this.#isChanged(tool)) return typeof rule === 'function' ? rule(tool, input) : rule
    this.#requested.add(this.#askedFor(tool, input))
    return true
  }

  async #call(tool: string, input: unknown, context: ToolContext): Promise<unknown> {
    const { timeoutMs: ms = 60_000, maxMs = 60 * 60_000, agentId, name } = this.#options
    const timeout = new CallTimeout(this.#runtime.clock, { ms, maxMs, signal: context.signal })
    try {
      const isIdempotent = isRepeatable(this.#present.get(tool)?.tool.annotations)
      return await this.#connection.use({ isIdempotent }, async (client) => {
        await this.#checkChange(tool, input)
        const server = client.getServerVersion()?.name ?? name
        const hops = agentId === undefined ? undefined : hopsTo(server, context.session, agentId)
        const params = { name: tool, arguments: input as Record<string, unknown> }
        const meta = defined({ [hopsKey]: hops, traceparent: runningActivity()?.traceparent })
        const result = await client.callTool(
          { ...params, ...(Object.keys(meta).length > 0 && { _meta: meta }) },
          {
            signal: timeout.signal,
            timeout: maxTimeoutMs,
            onprogress: this.#progress(tool, context, timeout),
          },
        )
        return resultValue(result, this.#options.maxCharacters ?? maxCharacters)
      })
    } catch (error) {
      throw timeout.signal.aborted ? (timeout.signal.reason as Error) : error
    } finally {
      timeout.done()
    }
  }

  /** The approver has seen the call through: from now on the tool counts as it is. */
  async #checkChange(tool: string, input: unknown): Promise<void> {
    const present = this.#present.get(tool)
    if (present === undefined) throw new BeachError('NOT_FOUND', 'The server does not have this tool any more.')
    if (!this.#isChanged(tool)) return
    if (!this.#requested.delete(this.#askedFor(tool, input))) {
      throw new BeachError('FORBIDDEN', 'This tool has changed since its last use: an approver must approve it.')
    }
    this.#pinned = { ...this.#pinned, [tool]: toPin(present.tool) }
    await this.#pins.save(this.#options.name, this.#pinned)
  }

  /** What an approver was asked about: this call of the tool as it was then. */
  #askedFor(tool: string, input: unknown): string {
    return contentHash([tool, input, this.#present.get(tool)?.hash])
  }

  #progress(tool: string, { emit }: ToolContext, timeout: CallTimeout): (progress: Progress) => void {
    let count = 0
    return ({ progress: done, total, message }) => {
      timeout.alive()
      const place = count++
      if (place >= maxProgress) return
      const label = plainWords(message ?? '', 200) || tool
      const data = { label, ...(total !== undefined && done >= 0 && { done, total }) }
      emit([{ partType: 'progress', data }], 'awaiting', `progress-${place}`).catch((error: unknown) => {
        this.#runtime.logger.log('debug', 'the progress of a tool was not told', { tool, error })
      })
    }
  }
}

/** Whether running a tool twice does no more than running it once. */
function isRepeatable(annotations: Tool['annotations']): boolean {
  return annotations?.readOnlyHint === true || annotations?.idempotentHint === true
}

function addressIn(options: McpToolsOptions): ServerAddress {
  if ('url' in options && 'command' in options) {
    throw new BeachError('INVALID_CONFIGURATION', 'An MCP server has either a `url` or a `command`.')
  }
  return options
}

/** What a model is shown of a result. A failure is data too: its words are the server's, not ours. */
function resultValue({ content, structuredContent, isError }: CallToolResult, max: number): unknown {
  const texts = content.map(textOf)
  if (isError === true) return { failed: true, text: cut(texts.join('\n'), max) }
  if (structuredContent !== undefined && JSON.stringify(structuredContent).length <= max) return structuredContent
  return cut(texts.length === 0 ? JSON.stringify(structuredContent ?? null) : texts.join('\n'), max)
}

function textOf(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'image':
    case 'audio':
      return `[${block.type}: ${block.mimeType}]`
    case 'resource_link':
      return `[resource: ${block.title ?? block.name}, ${block.uri}]`
    case 'resource':
      return 'text' in block.resource ? block.resource.text : `[resource: ${block.resource.uri}]`
  }
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max)}… (cut: ${text.length - max} more characters)`
}

/** A limit on a call that every sign of life sets back, up to a last one that nothing does. */
class CallTimeout {
  readonly signal: AbortSignal
  readonly #late = new AbortController()
  readonly #clock: Clock
  readonly #ms: number
  readonly #cancelLast: () => void
  #cancel: () => void

  constructor(clock: Clock, limits: { readonly ms: number; readonly maxMs: number; readonly signal: AbortSignal }) {
    this.#clock = clock
    this.#ms = limits.ms
    this.signal = AbortSignal.any([limits.signal, this.#late.signal])
    this.#cancel = clock.timer(limits.ms, () => this.#end(limits.ms))
    this.#cancelLast = clock.timer(limits.maxMs, () => this.#end(limits.maxMs))
  }

  alive(): void {
    if (this.#late.signal.aborted) return
    this.#cancel()
    this.#cancel = this.#clock.timer(this.#ms, () => this.#end(this.#ms))
  }

  done(): void {
    this.#cancel()
    this.#cancelLast()
  }

  #end(ms: number): void {
    this.#late.abort(new BeachError('TIMEOUT', `The tool has not answered within ${Math.ceil(ms / 1_000)} s.`))
  }
}
