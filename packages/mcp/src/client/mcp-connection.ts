import { BeachError, beachVersion, isBeachError, sleep, type Clock, type Runtime } from '@cool-ai/beach-core'
import { elapsed } from '@cool-ai/beach-core/runtime'
import { Client, SdkError, type Tool, type Transport } from '@modelcontextprotocol/client'
import { isForgotten, isLost, isWrongAnswer, mayHaveTakenEffect } from './call-failure.ts'
import { answerForms, type FillIn } from './elicitation.ts'
import { schemaValidator } from './schema-validator.ts'
import { transportTo, type ServerAddress } from './server-address.ts'

export interface ConnectionOptions {
  readonly name: string
  readonly address: ServerAddress
  readonly runtime: Runtime
  readonly fillIn?: FillIn | undefined
  readonly onTools: (tools: readonly Tool[]) => Promise<void>
}

const firstWaitMs = 1_000
const maxWaitMs = 60_000
const connectMs = 30_000

interface Opened {
  readonly client: Client
  users: number
  /** True when further calls take another one: it ends with the last of its own. */
  isForgotten: boolean
}

/** The connection to one server: made when it is needed, and again after it was lost, but not too often. */
export class McpConnection {
  readonly #options: ConnectionOptions
  readonly #all = new Set<Opened>()
  #current: Promise<Opened> | undefined
  #failures = 0
  #notBefore = 0
  #isClosed = false

  constructor(options: ConnectionOptions) {
    this.#options = options
  }

  /**
   * Uses the connection. A server that has forgotten its session is told who we are again, once; so is one whose
   * connection broke, if the call may be made twice. Calls of others that are under way go on with the connection that
   * they have.
   */
  async use<Value>(
    { isIdempotent }: { readonly isIdempotent: boolean },
    run: (client: Client) => Promise<Value>,
  ): Promise<Value> {
    try {
      return await this.#useOnce(run)
    } catch (error) {
      if (!isForgotten(error) && !(isIdempotent && isLost(error))) throw this.#shown(error, isIdempotent)
    }
    return this.#useOnce(run).catch((error: unknown) => {
      throw this.#shown(error, isIdempotent)
    })
  }

  async #useOnce<Value>(run: (client: Client) => Promise<Value>): Promise<Value> {
    const opened = await this.#connected()
    opened.users++
    try {
      return await run(opened.client)
    } catch (error) {
      if (isLost(error)) this.#forget(opened)
      throw error
    } finally {
      opened.users--
      this.#closeUnused(opened)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#current?.catch(() => {})
    await Promise.all([...this.#all].map(({ client }) => this.#end(client)))
  }

  async #end(client: Client): Promise<void> {
    const pid = client.transport && pidOf(client.transport)
    await client.close()
    // The SDK kills a server that does not go, but does not wait until it is gone.
    if (pid !== undefined) await gone(pid, this.#options.runtime.clock)
  }

  async #connected(): Promise<Opened> {
    const { name, runtime } = this.#options
    const unreachable = (message: string) => new NotConnected(new BeachError('UNREACHABLE', message))
    if (this.#isClosed) throw unreachable(`The connection to the MCP server '${name}' was closed.`)
    if (this.#current === undefined && elapsed(runtime.clock) < this.#notBefore) {
      throw unreachable(`The MCP server '${name}' could not be reached; it is tried again soon.`)
    }
    this.#current ??= this.#connect().catch((error: unknown) => {
      this.#current = undefined
      throw new NotConnected(error)
    })
    return this.#current
  }

  async #connect(): Promise<Opened> {
    const { name, address, runtime, fillIn, onTools } = this.#options
    const client = new Client(
      { name: 'beach', version: beachVersion },
      {
        versionNegotiation: { mode: 'auto' },
        jsonSchemaValidator: schemaValidator,
        capabilities: fillIn === undefined ? {} : { elicitation: { form: {} } },
        listChanged: { tools: { onChanged: (_, tools) => void (tools && onTools(tools)) } },
      },
    )
    if (fillIn !== undefined) answerForms(client, fillIn)
    try {
      const transport = transportTo(address, runtime.clock)
      await client.connect(transport, { timeout: connectMs })
      endWithProcess(transport)
      const { tools } = await client.listTools()
      await onTools(tools)
      const opened: Opened = { client, users: 0, isForgotten: false }
      Object.assign(client, {
        onclose: () => {
          this.#forget(opened)
          this.#all.delete(opened)
        },
      })
      this.#all.add(opened)
      this.#failures = 0
      return opened
    } catch (error) {
      await client.close().catch(() => {})
      const wait = Math.min(firstWaitMs * 2 ** this.#failures++, maxWaitMs)
      this.#notBefore = elapsed(runtime.clock) + wait
      runtime.logger.log('warn', 'an MCP server could not be reached', { server: name, error })
      throw error
    }
  }

  #forget(opened: Opened): void {
    if (opened.isForgotten) return
    opened.isForgotten = true
    // The one that is current is the last that was made: an earlier one was forgotten before.
    this.#current = undefined
  }

  #closeUnused(opened: Opened): void {
    if (!opened.isForgotten || opened.users > 0) return
    this.#all.delete(opened)
    opened.client.close().catch(() => {})
  }

  /** What the agent is told of a failure: our words, since the server's may be meant for its model. */
  #shown(error: unknown, isIdempotent: boolean): Error {
    if (error instanceof NotConnected) return this.#shown(error.cause, true)
    const { name } = this.#options
    const details = !isIdempotent && mayHaveTakenEffect(error) ? { outcome: 'unknown' } : {}
    if (isBeachError(error)) {
      const { code, message } = error
      return 'outcome' in details
        ? new BeachError(code, message, { cause: error, details: { ...error.details, ...details } })
        : error
    }
    if (isWrongAnswer(error)) {
      const message = `The MCP server '${name}' gave an answer that is none.`
      return new BeachError('PEER_PROTOCOL', message, { cause: error, details })
    }
    if (error instanceof SdkError || error instanceof TypeError) {
      const message = `The MCP server '${name}' could not be reached, or went away.`
      return new BeachError('UNREACHABLE', message, { cause: error, details })
    }
    return new BeachError('PEER_FAILED', `The MCP server '${name}' refused the call.`, { cause: error })
  }
}

/** A connection that could not be made: nothing was asked of the server. */
class NotConnected extends Error {
  constructor(cause: unknown) {
    super('There is no connection.', { cause })
  }
}

/** A process that ends without closing its connections takes the servers that it has started with it. */
function endWithProcess(transport: Transport): void {
  const pid = pidOf(transport)
  if (pid === undefined) return
  const end = () => {
    try {
      process.kill(pid)
    } catch {
      // It has ended by itself.
    }
  }
  process.once('exit', end)
  const before = transport.onclose
  const onclose = () => {
    process.off('exit', end)
    before?.()
  }
  Object.assign(transport, { onclose })
}

function pidOf(transport: Transport): number | undefined {
  return 'pid' in transport && typeof transport.pid === 'number' ? transport.pid : undefined
}

/** Resolves when the process is gone, or after a few seconds. */
async function gone(pid: number, clock: Clock): Promise<void> {
  for (let tries = 0; tries < 500 && isThere(pid); tries++) await sleep(clock, 10)
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
