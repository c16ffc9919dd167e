import { createBeach, defineActor, serve, type BeachOptions } from '@cool-ai/beach'
import { silentLogger, systemRuntime, type Authenticator, type Principal } from '@cool-ai/beach-core'
import OpenAI from 'openai'
import { onTestFinished } from 'vitest'

const runtime = systemRuntime({ logger: silentLogger })

/** The callers of these tests, by their keys. */
const callers: Readonly<Record<string, Principal>> = {
  'key-ann': { kind: 'user', id: 'ann', tenant: 'default' },
  'key-bob': { kind: 'user', id: 'bob', tenant: 'default' },
}

const byKey: Authenticator = async ({ headers }) => {
  const principal = callers[headers.get('authorization')?.slice(7) ?? '']
  return principal && { principal, credential: { type: 'test' } }
}

export async function start(actors: BeachOptions['actors'], options: Partial<BeachOptions> = {}) {
  const beach = await createBeach({
    agent: { id: 'tester', name: 'Tester' },
    data: 'memory',
    actors,
    runtime,
    access: { authenticators: [byKey] },
    ...options,
  })
  const serving = await serve(beach, { port: 0 })
  onTestFinished(() => serving.close())
  const { url } = serving
  return { url, beach, client: clientOf(url) }
}

/** The stock client of OpenAI. */
export function clientOf(url: string, apiKey = 'key-ann', options: ConstructorParameters<typeof OpenAI>[0] = {}) {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0, ...options })
}

/** Says what was said to it, thinks first, and has data besides. */
export const echo = defineActor(async ({ text, respond }) => {
  await respond({ parts: [{ partType: 'thinking', text: 'Hm.' }], turnState: 'awaiting' })
  await respond({
    parts: [
      { partType: 'response', text: `You said ${text}` },
      { partType: 'domain-data', data: { flights: [1] } },
    ],
    turnState: 'complete',
  })
})
