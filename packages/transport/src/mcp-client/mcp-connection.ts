import { BeachError, isBeachError, sleep, type Clock, type Runtime } from '@cool-ai/beach-core'
import { Client, SdkError, SdkErrorCode, SdkHttpError, type Tool, type Transport } from '@modelcontextprotocol/client'
import { answerForms, type FillIn } from './elicitation.ts'
import { schemaValidator } from './schema-validator.ts'
import { transportTo, type ServerAddress } from './server-address.ts'

export interface ConnectionOptions {
  readonly name: string
  readonly address: ServerAddress
  readonly runtime: Runtime
  readonly fillIn?: FillIn
  /** Told of the server's tools whenever they were listed. */
  readonly onTools: (tools: readonly Tool[]) => Promise<void>
}

const firstWaitMs = 1_000
const longestWaitMs = 60_000
const connectMs = 30_000

/** The connection to one server: made when it is needed, and again after it was lost, but not too often. */
export class McpConnection {
  readonly #options: ConnectionOptions
  #client: Promise<Client> | undefined
  #failures = 0
  #notBefore = 0
  #isClosed = false

  constructor(options: ConnectionOptions) {
    this.#options = options
  }

  /** Uses the connection; a server that has forgotten its session is told who we are again, once. */
  async use<Value>(run: (client: Client) => Promise<Value>): Promise<Value> {
    const connecting = this.#connected()
    try {
      return await run(await connecting)
    } catch (error) {
      if (isLost(error)) this.#drop(connecting)
      if (!isForgotten(error)) throw this.#shown(error)
    }
    return run(await this.#connected()).catch((error: unknown) => {
      throw this.#shown(error)
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const client = await this.#client?.catch(() => {})
    const pid = client?.transport && pidOf(client.transport)
    await client?.close()
    // The SDK kills a server that does not go, but does not wait until it is gone.
    if (pid !== undefined) await gone(pid, this.#options.runtime.clock)
  }

  #connected(): Promise<Client> {
    const { name, runtime } = this.#options
    if (this.#isClosed) throw new BeachError('UNREACHABLE', `The connection to the MCP server '${name}' was closed.`)
    if (this.#client === undefined && runtime.clock.now() < this.#notBefore) {
      throw new BeachError('UNREACHABLE', `The MCP server '${name}' could not be reached; it is tried again soon.`)
    }
    this.#client ??= this.#connect()
    return this.#client
  }

  async #connect(): Promise<Client> {
    const { name, address, runtime, fillIn, onTools } = this.#options
    const client = new Client(
      { name: 'beach', version: '0.1.0' },
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
      const connecting = this.#client
      Object.assign(client, { onclose: () => connecting && this.#forget(connecting) })
      this.#failures = 0
      return client
    } catch (error) {
      await client.close().catch(() => {})
      this.#client = undefined
      const wait = Math.min(firstWaitMs * 2 ** this.#failures++, longestWaitMs)
      this.#notBefore = runtime.clock.now() + wait
      runtime.logger.log('warn', 'an MCP server could not be reached', { server: name, error })
      throw error
    }
  }

  #drop(connecting: Promise<Client>): void {
    this.#forget(connecting)
    void connecting.then((client) => client.close()).catch(() => {})
  }

  #forget(connecting: Promise<Client>): void {
    if (this.#client === connecting) this.#client = undefined
  }

  /** What the agent is told of a failure: our words, since the server's may be meant for its model. */
  #shown(error: unknown): Error {
    if (isBeachError(error)) return error
    const { name } = this.#options
    if (error instanceof SdkError && wrongAnswers.has(error.code)) {
      return new BeachError('PEER_PROTOCOL', `The MCP server '${name}' gave an answer that is none.`, { cause: error })
    }
    if (error instanceof SdkError || error instanceof TypeError) {
      return new BeachError('UNREACHABLE', `The MCP server '${name}' could not be reached, or went away.`, {
        cause: error,
      })
    }
    return new BeachError('PEER_FAILED', `The MCP server '${name}' refused the call.`, { cause: error })
  }
}

const wrongAnswers: ReadonlySet<string> = new Set([SdkErrorCode.InvalidResult, SdkErrorCode.UnsupportedResultType])

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

function isLost(error: unknown): boolean {
  const lost: readonly string[] = [SdkErrorCode.ConnectionClosed, SdkErrorCode.NotConnected, SdkErrorCode.SendFailed]
  return isForgotten(error) || (error instanceof SdkError && lost.includes(error.code))
}

function isForgotten(error: unknown): boolean {
  return error instanceof SdkHttpError && error.status === 404
}
