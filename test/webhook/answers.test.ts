import type { ActorContext } from '@cool-ai/beach'
import type { Envelope } from '@cool-ai/beach-core'
import { approvalReply, standardWebhooks, type Hooks, type InboundHook } from '@cool-ai/beach-hooks'
import { describe, expect, test } from 'vitest'
import { LastingStore, post, runtime, settled, startAgent, textParts, texts, whsec } from './webhook-context.ts'

const verify = standardWebhooks({ secrets: [whsec(1)] })
const slowHook: InboundHook = { verify, parts: textParts, timeoutMs: 1 }
const hooks: Hooks = { notes: slowHook, others: slowHook }

interface Accepted {
  readonly status: string
  readonly statusUrl: string
  readonly expiresAt: string
  readonly envelope?: Envelope
  readonly approvals?: readonly string[]
}

/** An actor that answers when it is told to. */
function waiting() {
  const gate = Promise.withResolvers<void>()
  const actor = async ({ text, respond }: ActorContext) => {
    await gate.promise
    await respond({ parts: [{ partType: 'response', text: `At last: ${text}` }], turnState: 'complete' })
  }
  return { actor, open: () => gate.resolve() }
}

describe('a turn that outlasts the limit', () => {
  test('gets 202 with a URL that says how far it is, and then has the envelope', async () => {
    const { actor, open } = waiting()
    const { url } = await startAgent({ hooks, actor })
    const response = await post(`${url}/webhooks/notes`, { text: 'hello' })
    expect(response.status).toBe(202)
    const accepted = (await response.json()) as Accepted
    expect(accepted.status).toBe('working')
    expect(response.headers.get('location')).toBe(accepted.statusUrl)
    const status = new URL(accepted.statusUrl, url).href
    const working = await fetch(status)
    expect([working.status, await working.json()]).toEqual([200, { status: 'working' }])
    expect(working.headers.get('cache-control')).toBe('no-store')
    open()
    const done = await settled(status)
    expect(done.status).toBe('settled')
    expect(texts(done.envelope)).toEqual(['At last: hello'])
    const again = await post(`${url}/webhooks/notes`, { text: 'hello' })
    expect(texts(await again.json())).toEqual(['At last: hello'])
  })

  test('is finished by the next process, whose status URL is the same', async () => {
    const store = new LastingStore({ runtime })
    const never = async () => new Promise<never>(() => {})
    const first = await startAgent({ hooks, store, actor: never })
    const { statusUrl } = (await (await post(`${first.url}/webhooks/notes`, { text: 'hello' })).json()) as Accepted
    await first.stop()
    const second = await startAgent({ hooks, store })
    const done = await settled(new URL(statusUrl, second.url).href)
    expect(texts(done.envelope)).toEqual(['You said: hello'])
  })

  test('begins its URL with where the agent is, whatever the request says', async () => {
    const { actor } = waiting()
    const { url } = await startAgent({ hooks, actor, publicUrl: 'https://agent.example/' })
    const response = await post(
      `${url}/webhooks/notes`,
      { text: 'x' },
      { headers: { 'x-forwarded-host': 'evil.example' } },
    )
    const { statusUrl } = (await response.json()) as Accepted
    expect(statusUrl).toMatch(/^https:\/\/agent\.example\/webhooks\/notes\/status\//)
  })
})

describe('a status URL', () => {
  async function accepted() {
    const { actor } = waiting()
    let now = Date.now()
    const clock = { ...runtime.clock, now: () => now }
    const { url } = await startAgent({ hooks, actor, runtime: { ...runtime, clock } })
    const { statusUrl, expiresAt } = (await (await post(`${url}/webhooks/notes`, { text: 'hello' })).json()) as Accepted
    return { url, statusUrl, expiresAt, at: (time: number) => (now = time) }
  }

  test('is good for one answer of one hook, and cannot be made up', async () => {
    const { url, statusUrl } = await accepted()
    const get = async (path: string) => (await fetch(new URL(path, url))).status
    expect(await get(statusUrl)).toBe(200)
    expect(await get(statusUrl.replace('/notes/', '/others/'))).toBe(404)
    expect(await get(statusUrl.slice(0, -2))).toBe(404)
    expect(await get(`${statusUrl}.more`)).toBe(404)
    const forged = Buffer.from(JSON.stringify(['sess_x', 1, 'msg_x', Date.now() + 1_000])).toString('base64url')
    expect(await get(`/webhooks/notes/status/${forged}.${statusUrl.split('.').at(-1)}`)).toBe(404)
    expect(await get('/webhooks/notes/status/x')).toBe(404)
    const posted = await fetch(new URL(statusUrl, url), { method: 'POST' })
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET'])
  })

  test('expires', async () => {
    const { url, statusUrl, expiresAt, at } = await accepted()
    at(Date.parse(expiresAt))
    expect((await fetch(new URL(statusUrl, url))).status).toBe(410)
  })
})

describe('approvals by payload', () => {
  const booker = async ({ respond, tool }: ActorContext) => {
    const call = { name: 'book', args: { flight: 'BA 2043' }, requiresApproval: true }
    const { outcome } = await tool(call, async () => 'booked')
    await respond({ parts: [{ partType: 'response', text: `booked: ${outcome}` }], turnState: 'complete' })
  }
  const parts: InboundHook['parts'] = (payload) => approvalReply(payload) ?? textParts(payload)
  const all: Hooks = {
    notes: { verify, parts, approvers: ['owner', { kind: 'user', id: 'webhook:boss' }] },
    boss: { verify, parts },
    stranger: { verify, parts },
    deaf: { verify, parts: textParts },
  }

  async function asked() {
    const agent = await startAgent({ hooks: all, actor: booker })
    const response = await post(`${agent.url}/webhooks/notes`, { text: 'book it' })
    const { status, approvals = [], envelope, statusUrl } = (await response.json()) as Accepted
    expect([response.status, status]).toEqual([202, 'suspended'])
    expect(envelope?.parts.map(({ metadata }) => metadata.partType)).toContain('approval-request')
    const [approvalId = ''] = approvals
    const decide = (hook: string, payload: object, id: string) => post(`${agent.url}/webhooks/${hook}`, payload, { id })
    return { ...agent, approvalId, decide, status: new URL(statusUrl, agent.url).href }
  }

  test('are decided by the hook that asked, and the status URL then has the answer', async () => {
    const { decide, approvalId, status } = await asked()
    expect((await settled(status)).status).toBe('suspended')
    const response = await decide('notes', { approvalId, decision: 'granted', decidedBy: 'somebody' }, 'd1')
    expect([response.status, await response.json()]).toEqual([
      200,
      { status: 'decided', approvalId, decision: 'granted' },
    ])
    for (;;) {
      const done = await settled(status)
      if (done.status === 'suspended') continue
      expect(texts(done.envelope)).toEqual(['booked: ok'])
      const decided = done.envelope.parts.find(({ metadata }) => metadata.partType === 'approval-response')
      expect(decided?.data).not.toMatchObject({ decidedBy: 'somebody' })
      break
    }
  })

  test('are decided once: the same delivery gets the same answer, another one is told', async () => {
    const { decide, approvalId } = await asked()
    const reply = {
      metadata: { partType: 'approval-response' },
      data: { approvalId, decision: 'denied', reason: 'no' },
    }
    expect((await decide('boss', reply, 'd1')).status).toBe(200)
    const again = await decide('boss', reply, 'd1')
    expect([again.status, await again.json()]).toEqual([200, { status: 'decided', approvalId, decision: 'denied' }])
    expect((await decide('notes', { approvalId, decision: 'granted' }, 'd2')).status).toBe(409)
  })

  test('are not decided by hooks that the policy does not name, nor by those that do not say that they decide', async () => {
    const { decide, approvalId, status } = await asked()
    expect((await decide('stranger', { approvalId, decision: 'granted' }, 'd1')).status).toBe(404)
    expect((await decide('deaf', { approvalId, decision: 'granted' }, 'd2')).status).toBe(422)
    expect((await decide('notes', { approvalId, decision: 'yes' }, 'd3')).status).toBe(422)
    expect((await decide('notes', { approvalId: 'appr_none', decision: 'granted' }, 'd4')).status).toBe(404)
    expect((await settled(status)).status).toBe('suspended')
  })
})
