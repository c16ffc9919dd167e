import type { Balancer } from '../balancer.ts'

/** The cursors of the durable frames that each connection of one client has brought, in their order. */
export class SeenCursors {
  readonly connections: string[][] = []

  /** A `fetch` that notes the ids of server-sent events. */
  fetchBy(balancer: Balancer): typeof globalThis.fetch {
    return async (input, init) => {
      const response = await balancer.fetch(input, init)
      if (response.body === null || response.headers.get('content-type')?.startsWith('text/event-stream') !== true) {
        return response
      }
      const seen = this.#connection()
      let rest = ''
      const tap = new TransformStream<string, string>({
        transform(chunk, controller) {
          const lines = (rest + chunk).split('\n')
          rest = lines.pop() ?? ''
          for (const line of lines) if (line.startsWith('id: ')) seen.push(line.slice(4))
          controller.enqueue(chunk)
        },
      })
      const body = response.body
        .pipeThrough(new TextDecoderStream())
        .pipeThrough(tap)
        .pipeThrough(new TextEncoderStream())
      return new Response(body, response)
    }
  }

  /** A `WebSocket` that goes to any process and notes the cursors of frames. */
  webSocketBy(balancer: Balancer): typeof globalThis.WebSocket {
    const connection = () => this.#connection()
    return class extends globalThis.WebSocket {
      constructor(url: string | URL, protocols?: string | string[]) {
        super(balancer.next(url), protocols)
        const seen = connection()
        this.addEventListener('message', ({ data }: MessageEvent<string>) => {
          const { cursor } = JSON.parse(data) as { cursor?: string }
          if (cursor !== undefined) seen.push(cursor)
        })
      }
    }
  }

  #connection(): string[] {
    const seen: string[] = []
    this.connections.push(seen)
    return seen
  }
}
