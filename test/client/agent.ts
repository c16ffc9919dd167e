import { createBeach, defineActor, serve, type Beach, type BeachOptions } from '@cool-ai/beach'
import { connect, openSession, type ConnectOptions, type Conversation, type Snapshot } from '@cool-ai/beach-client'
import { silentLogger, systemRuntime } from '@cool-ai/beach-core'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import type { TestContext } from 'vitest'
import { mergeOptions } from '../support/merge-options.ts'

/** An agent that listens for one test. */
interface Served {
  readonly url: string
  readonly port: number
  readonly beach: Beach
}

/** Serves an agent with these actors for one test. */
export async function serveAgent(test: TestContext, options: Pick<BeachOptions, 'actors'> & Partial<BeachOptions>) {
  const runtime = systemRuntime({ logger: silentLogger })
  const beach = await createBeach(
    mergeOptions(
      {
        agent: { id: 'tester', name: 'Tester' },
        data: { store: new MemoryStore({ runtime }), secret: new Uint8Array(32).fill(7) },
        runtime,
      },
      options,
    ),
  )
  const serving = await serve(beach, { port: 0 })
  test.onTestFinished(() => serving.close())
  const served: Served = { url: serving.url, port: Number(new URL(serving.url).port), beach }
  return served
}

/** Says back what it was told. */
export const echo = defineActor(async ({ text, respond }) => {
  await respond({ parts: [{ partType: 'response', text: `You said ${text}` }], turnState: 'complete' })
})

/** Does something only when it was approved. */
export const booker = defineActor(async ({ respond, tool }) => {
  const outcome = await tool({ name: 'book', args: { flight: 1 }, requiresApproval: true }, async () => 'booked')
  const text = outcome.outcome === 'ok' ? outcome.value : outcome.reason
  await respond({ parts: [{ partType: 'response', text }], turnState: 'complete' })
})

/** An actor that says what the test tells it to, when the test tells it to. */
export function dictated() {
  const words: string[] = []
  let ended = false
  let wake = () => {}
  async function* spoken(): AsyncGenerator<string> {
    for (let index = 0; ; index++) {
      while (index >= words.length) {
        if (ended) return
        await new Promise<void>((resolve) => (wake = resolve))
      }
      yield words[index] ?? ''
    }
  }
  const actor = defineActor(async ({ respond }) => {
    await respond({ parts: [{ partType: 'response', text: spoken() }], turnState: 'complete' })
  })
  return {
    actor,
    say(text: string) {
      words.push(text)
      wake()
    },
    end() {
      ended = true
      wake()
    },
  }
}

/** A conversation of its own, closed when the test has finished. Pauses are short. */
export async function converse(
  test: TestContext,
  url: string,
  options: Partial<ConnectOptions> = {},
): Promise<Conversation> {
  const session = await openSession({ url })
  return connected(test, { url, ...session, ...options })
}

export function connected(test: TestContext, options: ConnectOptions): Conversation {
  const conversation = connect({ random: () => 0.02, ...options })
  test.onTestFinished(() => conversation.close())
  return conversation
}

/** Waits until something holds of the conversation. */
export function until(conversation: Conversation, holds: (now: Snapshot) => boolean): Promise<Snapshot> {
  return new Promise((resolve) => {
    const look = () => {
      if (!holds(conversation.snapshot)) return
      end()
      resolve(conversation.snapshot)
    }
    const end = conversation.on('change', look)
    look()
  })
}

/** Waits until so many turns have settled, and all that was sent has come back. */
export function settled(conversation: Conversation, count = 1): Promise<Snapshot> {
  return until(
    conversation,
    ({ turns, pending }) => pending.length === 0 && turns.filter((turn) => turn.settled).length >= count,
  )
}

export function opened(conversation: Conversation): Promise<Snapshot> {
  return until(conversation, ({ connection }) => connection.state === 'open')
}

/** Every text that was shown under a part id, in order, as a viewer would have seen them. */
export function shown(conversation: Conversation): Map<string, string[]> {
  const all = new Map<string, string[]>()
  const look = () => {
    for (const { partId, text = '' } of conversation.snapshot.parts) {
      const before = all.get(partId) ?? []
      if (before.at(-1) !== text) all.set(partId, [...before, text])
    }
  }
  conversation.on('change', look)
  return all
}

export function texts({ parts }: Snapshot): (string | undefined)[] {
  return parts.map(({ text }) => text)
}
