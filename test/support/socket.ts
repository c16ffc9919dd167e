import type { Frame } from '@cool-ai/beach-core'
import type { TestContext } from 'vitest'

/** A message that is no frame. */
export interface Said {
  readonly type: string
  readonly id?: string
  readonly result?: unknown
  readonly error?: { readonly code: string; readonly message: string; readonly status: number }
  readonly [key: string]: unknown
}

export interface SocketOptions {
  readonly after?: string
  readonly protocols?: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
}

/** A session's WebSocket as a program holds it. */
export class Socket {
  readonly frames: Frame[] = []
  readonly said: Said[] = []
  readonly closed: Promise<{ code: number; reason: string }>
  readonly #socket: WebSocket
  #waiting: (() => void)[] = []
  #isClosed = false
  #id = 0

  constructor(url: string, { after, protocols = ['beach.v1'], headers = {} }: SocketOptions = {}) {
    const address = new URL(url.replace(/^http/, 'ws'))
    if (after !== undefined) address.searchParams.set('after', after)
    // Node's own takes headers, which browsers' do not.
    const options = { protocols: [...protocols], headers } as unknown as string[]
    this.#socket = new WebSocket(address, options)
    this.#socket.addEventListener('message', ({ data }: MessageEvent<string>) => {
      const message = JSON.parse(data) as Frame | Said
      if ('kind' in message) this.frames.push(message as Frame)
      else this.said.push(message)
      this.#wake()
    })
    this.closed = new Promise((resolve) => {
      this.#socket.addEventListener('close', ({ code, reason }) => {
        this.#isClosed = true
        this.#wake()
        resolve({ code, reason })
      })
    })
  }

  get protocol(): string {
    return this.#socket.protocol
  }

  /** Waits until the condition holds; a connection that closes before is an error. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      if (this.#isClosed) throw new Error(`The connection was closed: ${JSON.stringify(await this.closed)}`)
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  ready(): Promise<void> {
    return this.until(() => this.said.some(({ type }) => type === 'ready'))
  }

  settled(): Promise<void> {
    return this.until(() => this.frames.some(({ kind }) => kind === 'settled'))
  }

  /** Sends a request and waits for its answer. */
  async ask(request: Readonly<Record<string, unknown>>): Promise<Said> {
    const id = String(++this.#id)
    this.send({ id, ...request })
    const answer = () => this.said.find((said) => said.id === (request.id ?? id))
    await this.until(() => answer() !== undefined)
    return answer() as Said
  }

  send(message: unknown): void {
    this.#socket.send(typeof message === 'string' ? message : JSON.stringify(message))
  }

  sendBytes(bytes: Uint8Array<ArrayBuffer>): void {
    this.#socket.send(bytes)
  }

  close(): void {
    this.#socket.close()
  }

  #wake(): void {
    for (const resume of this.#waiting.splice(0)) resume()
  }
}

/** Opens a WebSocket for one test. */
export function openSocket(test: TestContext, url: string, options?: SocketOptions): Socket {
  const socket = new Socket(url, options)
  test.onTestFinished(() => socket.close())
  return socket
}
