import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'vitest'

/** A server that tools ask before they take effect: who asks waits until the test lets it through. */
export class Gate {
  readonly #waiting = new Map<string, ServerResponse>()
  readonly #server = createServer((request, response) => {
    const name = decodeURIComponent(request.url?.slice(1) ?? '')
    this.#waiting.set(name, response)
    // The asker may be killed while it waits.
    response.once('close', () => this.#waiting.get(name) === response && this.#waiting.delete(name))
    this.#server.emit('asked')
  })

  static async open({ onTestFinished }: TestContext): Promise<Gate> {
    const gate = new Gate()
    gate.#server.listen(0, '127.0.0.1')
    await once(gate.#server, 'listening')
    onTestFinished(() => {
      gate.#server.close()
      gate.#server.closeAllConnections()
    })
    return gate
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Resolves when the tool of that name waits here. */
  async asked(name: string): Promise<void> {
    while (!this.#waiting.has(name)) await once(this.#server, 'asked')
  }

  /** Lets a tool through, which waits here or will. */
  async open(name: string, value: string): Promise<void> {
    await this.asked(name)
    this.#waiting.get(name)?.end(value)
    this.#waiting.delete(name)
  }
}
