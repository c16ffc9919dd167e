import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Fault } from './faults.ts'
import { machineTime } from './machine-time.ts'
import { onStall, type Stall } from './stalls.ts'

/** One run of a tool. */
export interface ToolRun {
  readonly name: string
  /** The message that the tool was run for. */
  readonly ask: string
  readonly key: string
  readonly process: number
}

/** One delivery that was accepted. */
export interface Received {
  /** The path that it came to. */
  readonly to: string
  readonly key: string
  readonly body: string
  readonly at: number
  /** The process that has sent it. */
  readonly process: number
}

/** The outside world: tools take effect here and deliveries arrive here. It is never down, but slow and sometimes busy. */
export class Ledger implements AsyncDisposable {
  readonly runs: ToolRun[] = []
  readonly received: Received[] = []
  /** When the agent's processes, or this one, had to wait for the machine. */
  readonly stalls: Fault[] = []
  readonly #random: () => number
  readonly #server: Server
  readonly #endStalls = onStall((stall) => this.#stalled(stall))
  #waiting: (() => void)[] = []

  static async open(random: () => number): Promise<Ledger> {
    const ledger = new Ledger(random)
    ledger.#server.listen(0, '127.0.0.1')
    await once(ledger.#server, 'listening')
    return ledger
  }

  private constructor(random: () => number) {
    this.#random = random
    this.#server = createServer((request, response) => {
      void this.#take(request).then((status) => response.writeHead(status).end('done'))
    })
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Waits for a delivery to a path that fits. */
  async delivery<Value>(to: string, find: (body: string) => Value | undefined, signal: AbortSignal): Promise<Value> {
    for (;;) {
      for (const each of this.received) {
        const found = each.to === to ? find(each.body) : undefined
        if (found !== undefined) return found
      }
      signal.throwIfAborted()
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve)
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#endStalls()
    this.#server.close()
    this.#server.closeAllConnections()
  }

  #stalled({ process, from, until }: Stall): number {
    this.stalls.push({ kind: 'stall', process, from, until })
    return 200
  }

  async #take(request: IncomingMessage): Promise<number> {
    const body = await textOf(request)
    const to = request.url ?? ''
    if (to === '/stalls') return this.#stalled(JSON.parse(body) as Stall)
    if (to === '/runs') this.runs.push(JSON.parse(body) as ToolRun)
    // A process that is killed now does not learn what it has done.
    await wait(10 + this.#random() * 120)
    if (to === '/runs') return 200
    if (this.#random() < 0.1) return 503
    const { 'webhook-id': key, 'x-chaos-process': process } = request.headers
    this.received.push({ to, key: String(key), body, at: machineTime(), process: Number(process) })
    for (const resume of this.#waiting.splice(0)) resume()
    return 200
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk)
  return text
}
