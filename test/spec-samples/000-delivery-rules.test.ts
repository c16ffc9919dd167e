import { ui } from '@cool-ai/beach-a2ui'
import type { AuthoredPart } from '@cool-ai/beach-core'
import { LlmContextTranslator } from '@cool-ai/beach-protocol'
import { defineActor, type ActorContext } from '@cool-ai/beach-session'
import { describe, expect, test, type TestContext } from 'vitest'
import { buffered, reachable, streaming, type Received, type Listen, type Reachable } from '../support/listeners.ts'

// Document 000, "Delivery rules per transport class": each row of the table, by the real channels of an agent that
// createBeach builds. A listener says something by its channel and hears the answer by the same one. The actor says the
// part of the row and waits at a gate before it ends its turn: what is heard before the gate opens was flushed immediately.

type Act = (turn: ActorContext, gate: Promise<void>, agent: () => Reachable) => Promise<unknown>

const done: AuthoredPart = { partType: 'response', text: 'end-marker' }

/** An agent whose actor does this, and what opens its gate. */
async function agentOf(context: TestContext, act: Act) {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const { promise: started, resolve: start } = Promise.withResolvers<Reachable>()
  const translated: string[] = []
  const generate = async ({ text }: { readonly text: string }) => {
    translated.push(text)
    return 'context-marker'
  }
  let running: Reachable | undefined
  const agent = () => running as Reachable
  const actor = defineActor(async (turn) => {
    await started
    await act(turn, gate, agent)
  })
  running = await reachable(context, {
    actors: { actor },
    turns: { translator: new LlmContextTranslator({ model: { generate } }) },
  })
  start(running)
  return { agent: running, open, translated }
}

/** Says the parts, waits at the gate, and ends its turn. */
const early =
  (...parts: AuthoredPart[]): Act =>
  async ({ respond }, gate) => {
    await respond({ parts, turnState: 'awaiting' })
    await gate
    await respond({ parts: [done], turnState: 'complete' })
  }

/** How often something was heard. */
const times = (received: Received, marker: string) => received.text.split(marker).length - 1

const streams = Object.entries<Listen>(streaming)
const buffers = Object.entries<Listen>(buffered)

/** Hears the marker while the turn is held at its gate, and the end after that. */
async function flushed(context: TestContext, act: Act, listen: Listen): Promise<Received> {
  const { agent, open } = await agentOf(context, act)
  const received = await listen(agent, 'Go.')
  await received.until('row-marker')
  expect(received.has('end-marker')).toBe(false)
  open()
  await received.until('end-marker')
  return received
}

/** Hears the turn of an agent that is not held up. */
async function whole(context: TestContext, act: Act, listen: Listen, end = 'end-marker') {
  const { agent, open, translated } = await agentOf(context, act)
  open()
  const received = await listen(agent, 'Go.')
  await received.until(end)
  return { received, agent, translated }
}

describe.each<[string, AuthoredPart]>([
  ['ack', { partType: 'ack', text: 'row-marker' }],
  ['thinking', { partType: 'thinking', text: 'row-marker' }],
  ['progress', { partType: 'progress', data: { label: 'row-marker' } }],
])('%s', (_, part) => {
  test.for(streams)('is flushed immediately by %s', async ([, listen], context) => {
    await flushed(context, early(part), listen)
  })

  test.for(buffers)('is dropped by %s', async ([, listen], context) => {
    const { received } = await whole(context, early(part), listen)
    expect(received.has('row-marker')).toBe(false)
  })
})

describe('response', () => {
  const growing: Act = async ({ respond }, gate) => {
    async function* text() {
      yield 'row-marker '
      await gate
      yield 'end-marker'
    }
    await respond({ parts: [{ partType: 'response', text: text() }], turnState: 'complete' })
  }

  test.for(streams)('comes in progressive text deltas by %s', async ([, listen], context) => {
    await flushed(context, growing, listen)
  })

  test.for(buffers)('is its final value by %s', async ([, listen], context) => {
    const { received } = await whole(context, growing, listen)
    expect(received.has('row-marker end-marker')).toBe(true)
    expect(received.all).toHaveLength(1)
  })
})

describe('domain-data', () => {
  const found: AuthoredPart = { partType: 'domain-data', data: { found: 'row-marker' } }

  test.for(streams)('comes once, on availability, by %s', async ([, listen], context) => {
    const received = await flushed(context, early(found), listen)
    await received.over()
    expect(times(received, 'row-marker')).toBe(1)
  })

  test.for(buffers)('comes once, at settlement, by %s', async ([name, listen], context) => {
    const { received } = await whole(context, early(found), listen)
    expect(received.all).toHaveLength(1)
    // A result of MCP has it as data for programs, and as text for models that get nothing else of it.
    expect(times(received, 'row-marker')).toBe(name === 'MCP' ? 2 : 1)
  })
})

describe('a2ui-surface', () => {
  const surface = (text: string): AuthoredPart => ({
    partType: 'a2ui-surface',
    data: ui.surface({ surfaceId: 'trip', root: ui.card(ui.text(text)) }),
  })
  const updated: Act = async ({ respond }, gate) => {
    await respond({ parts: [surface('row-marker')], turnState: 'awaiting' })
    await gate
    const [, ...update] = surface('update-marker').data as unknown[]
    await respond({ parts: [{ partType: 'a2ui-surface', data: update }, done], turnState: 'complete' })
  }

  test.for(streams)('is flushed with each update by %s', async ([, listen], context) => {
    const received = await flushed(context, updated, listen)
    await received.until('update-marker')
  })

  test.for(buffers)('is rendered in its final state by %s', async ([, listen], context) => {
    const { received } = await whole(context, updated, listen)
    expect(received.has('update-marker')).toBe(true)
    expect(received.has('row-marker')).toBe(false)
  })
})

describe('artifact', () => {
  const fileOf =
    (bytes: Buffer): Act =>
    async ({ respond, tool, view }, gate, agent) => {
      const made = await tool({ name: 'write', args: {} }, async () => {
        const about = { name: 'plan.txt', mimeType: 'text/plain', tenant: 'default', session: view.sessionId }
        const { artifactId, sizeBytes } = await agent().artifacts.put(bytes, about)
        return { artifactId, sizeBytes, mimeType: about.mimeType, name: about.name }
      })
      if (made.outcome !== 'ok') throw new Error(made.reason)
      await respond({ parts: [{ partType: 'artifact', data: made.value }], turnState: 'awaiting' })
      await gate
      await respond({ parts: [done], turnState: 'complete' })
    }
  const filed = fileOf(Buffer.from('bytes-marker'))
  const linkIn = (received: Received) => /"(?:url|value)":"([^"]*\/artifacts\/[^"]+)"/.exec(received.text)?.[1] ?? ''

  test.for(streams)('is a reference by URL by %s', async ([, listen], context) => {
    const { agent, open } = await agentOf(context, filed)
    const received = await listen(agent, 'Go.')
    await received.until('plan.txt')
    expect(received.has('end-marker')).toBe(false)
    expect(await (await fetch(new URL(linkIn(received), agent.url))).text()).toBe('bytes-marker')
    open()
    await received.until('end-marker')
    expect(received.has('bytes-marker')).toBe(false)
  })

  test('is its bytes as an attachment by mail', async (context) => {
    const { received } = await whole(context, filed, buffered.mail)
    expect(received.all).toMatchObject([
      { attachments: [{ filename: 'plan.txt', mimeType: 'text/plain', content: 'bytes-marker' }] },
    ])
  })

  test('is its bytes in the part by A2A (non-streaming)', async (context) => {
    const { received } = await whole(context, filed, buffered['A2A (non-streaming)'])
    expect(received.text).toContain('plan.txt')
    expect(received.text).toContain(JSON.stringify(Buffer.from('bytes-marker')).slice(1, -1))
  })

  test('is a reference by URL where it is too large for a message of A2A', async (context) => {
    const bytes = Buffer.alloc(2 * 1_024 * 1_024, 'x')
    const { received, agent } = await whole(context, fileOf(bytes), buffered['A2A (non-streaming)'])
    const { headers } = await fetch(new URL(linkIn(received), agent.url))
    expect(headers.get('content-length')).toBe(String(bytes.length))
  })

  test('is a resource to read by MCP', async (context) => {
    const { received } = await whole(context, filed, buffered.MCP)
    expect(received.all).toMatchObject([
      {
        content: expect.arrayContaining([
          expect.objectContaining({ type: 'resource_link', name: 'plan.txt', uri: expect.stringMatching(/^beach:/) }),
        ]),
      },
    ])
  })
})

describe('llm-context', () => {
  const answered: Act = async ({ respond }, gate) => {
    await respond({ parts: [{ partType: 'domain-data', data: { flights: 2 } }], turnState: 'awaiting' })
    await gate
    await respond({ parts: [done], turnState: 'complete' })
  }

  test('is produced once, at settlement, and comes in a single flush to a peer by A2A (streaming)', async (context) => {
    const { agent, open, translated } = await agentOf(context, answered)
    const received = await streaming['A2A (streaming)'](agent, 'Go.')
    await received.until('"flights":2')
    expect([translated, received.has('context-marker')]).toEqual([[], false])
    open()
    await received.over()
    expect([times(received, 'context-marker'), translated.length]).toEqual([1, 1])
  })

  test('is in the envelope of a peer by A2A (non-streaming)', async (context) => {
    const { received, translated } = await whole(context, answered, buffered['A2A (non-streaming)'])
    expect([times(received, 'context-marker'), translated.length]).toEqual([1, 1])
  })

  test.for<[string, Listen]>([
    ['SSE', streaming.SSE],
    ['WebSocket', streaming.WebSocket],
    ['mail', buffered.mail],
    ['MCP', buffered.MCP],
  ])('is not produced where no peer consumes it: %s', async ([, listen], context) => {
    const { received, translated } = await whole(context, answered, listen)
    expect([received.has('context-marker'), translated]).toEqual([false, []])
  })
})

test.for([...streams, ...buffers])(
  'reasoning-trace is for audits only, and does not come by %s',
  async ([, listen], context) => {
    const trace: AuthoredPart = { partType: 'reasoning-trace', text: 'row-marker' }
    const { received, agent } = await whole(context, early(trace), listen)
    expect(received.has('row-marker')).toBe(false)
    expect(await agent.logged()).toContain('row-marker')
  },
)

describe.each([
  ['clarify', 'clarifying'],
  ['error', 'error'],
] as const)('%s', (partType, turnState) => {
  const part: AuthoredPart = { partType, text: 'row-marker' }

  test.for([...streams, ['mail', buffered.mail] as const])(
    'is flushed immediately by %s',
    async ([, listen], context) => {
      await flushed(context, early(part), listen)
    },
  )

  test.for([...streams, ...buffers])('ends its turn by %s, and no envelope is built', async ([, listen], context) => {
    const act: Act = async ({ respond }) => {
      await respond({ parts: [{ partType: 'domain-data', data: { found: 'data-marker' } }], turnState: 'awaiting' })
      return respond({ parts: [part], turnState })
    }
    const { received } = await whole(context, act, listen, 'row-marker')
    // Streams had it before; an answer that is no answer yet is a task of A2A, which has what was said so far.
    const hadIt = listen !== buffered.mail && listen !== buffered.MCP
    expect(received.has('data-marker')).toBe(hadIt)
  })
})

describe('approval-request and approval-response', () => {
  const asking: Act = async ({ respond, tool }) => {
    const call = { name: 'book', args: { flight: 'row-marker' }, requiresApproval: true }
    const { outcome } = await tool(call, async () => 'booked')
    return respond({ parts: [{ partType: 'response', text: `end-marker ${outcome}` }], turnState: 'complete' })
  }

  test.for([...streams, ...buffers])(
    'the request is flushed immediately by %s, the turn is suspended, and the response comes in and resumes the tool',
    async ([, listen], context) => {
      const { agent } = await agentOf(context, asking)
      const received = await listen(agent, 'Go.')
      await received.until('row-marker')
      await expect.poll(() => agent.openTurn()).toMatchObject({ turnState: 'suspended' })
      const [approvalId = ''] = (await agent.openTurn())?.pendingApprovals ?? []
      await received.decide(approvalId, 'granted')
      await received.until('end-marker ok')
      // It comes in only: no listener is sent one.
      expect(received.has('approval-response')).toBe(false)
    },
  )
})
