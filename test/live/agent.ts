import { createBeach, defineActor, serve, type BeachOptions, type Serving } from '@cool-ai/beach'
import { PartTypeRegistry, silentLogger, systemRuntime, type Actor } from '@cool-ai/beach-core'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import type { TestContext } from 'vitest'
import { mergeOptions } from '../support/merge-options.ts'

export const runtime = systemRuntime({ logger: silentLogger })

/** Text that comes when the test says so. */
export class Speech {
  readonly #pieces: string[] = []
  #ended = false
  #notify = () => {}

  say(text: string): void {
    this.#pieces.push(text)
    this.#notify()
  }

  end(): void {
    this.#ended = true
    this.#notify()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    for (;;) {
      const piece = this.#pieces.shift()
      if (piece !== undefined) yield piece
      else if (this.#ended) return
      else await new Promise<void>((resolve) => (this.#notify = resolve))
    }
  }
}

export const echo = defineActor(async ({ text, respond }) => {
  await respond({ parts: [{ partType: 'ack', text: 'I see.' }], turnState: 'awaiting' })
  await respond({ parts: [{ partType: 'response', text: flowing(['You said ', text]) }], turnState: 'complete' })
})

async function* flowing(texts: readonly string[]): AsyncGenerator<string> {
  yield* texts
}

/** An agent that the test speaks for. */
export function spokenBy(speech: Speech): Actor {
  return defineActor(({ respond }) =>
    respond({ parts: [{ partType: 'response', text: speech }], turnState: 'complete' }),
  )
}

/** Part types of a test's own, so that it may add some. */
export function ownPartTypes(): PartTypeRegistry {
  const partTypes = PartTypeRegistry.canonical({ logger: silentLogger })
  return partTypes
}

export async function startAgent(test: TestContext, options: Partial<BeachOptions> = {}): Promise<Serving> {
  const beach = await createBeach(
    mergeOptions(
      {
        agent: { id: 'tester', name: 'Tester' },
        actors: { echo },
        data: { store: new MemoryStore({ runtime: options.runtime ?? runtime }), secret: new Uint8Array(32).fill(7) },
        page: (path) =>
          path === '/' ? new Response('<p>page</p>', { headers: { 'content-type': 'text/html' } }) : undefined,
        runtime,
      },
      options,
    ),
  )
  const serving = await serve(beach, { port: 0 })
  test.onTestFinished(() => serving.close())
  return serving
}

export interface Opened {
  readonly sessionId: string
  readonly token: string
}

export async function openSession(url: string): Promise<Opened> {
  return (await (await fetch(`${url}/sessions`, { method: 'POST' })).json()) as Opened
}

/** A request with JSON, and its answer. */
export async function call(
  url: string,
  options: { method?: string; token?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<{ status: number; body: unknown; headers: Headers }> {
  const { method = 'POST', token, body, headers } = options
  const response = await fetch(url, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: await response.json(), headers: response.headers }
}
