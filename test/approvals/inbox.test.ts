import { defineActor, type BeachOptions } from '@cool-ai/beach'
import type { Principal } from '@cool-ai/beach-core'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { testAgent } from '@cool-ai/beach-testing'
import { expect, test } from 'vitest'
import { mergeOptions } from '../support/merge-options.ts'

const payer = defineActor(async ({ text, respond, tool }) => {
  const call = { name: 'pay', args: { invoice: text }, requiresApproval: true, approval: { title: `Pay ${text}` } }
  const { outcome } = await tool(call, async () => 'paid')
  await respond({ parts: [{ partType: 'response', text: outcome }], turnState: 'complete' })
})
const desk: Principal = { kind: 'operator', id: 'desk', tenant: 'default' }

/** An agent with its users by name: the header `x-user` says who is calling. */
async function payers(options: Partial<BeachOptions> = {}) {
  const agent = await testAgent(
    mergeOptions(
      {
        actors: { payer },
        access: {
          authenticators: [
            async ({ headers }) => {
              const id = headers.get('x-user')
              const principal: Principal = id === 'desk' ? desk : { kind: 'user', id: id ?? '', tenant: 'default' }
              return id === null ? undefined : { principal, credential: { type: 'test' } }
            },
          ],
        },
      },
      options,
    ),
  )
  const url = await agent.serve()
  const call = (who: string, path: string, init: RequestInit = {}) =>
    fetch(new URL(path, url), {
      ...init,
      redirect: 'manual',
      headers: { ...(init.headers as Record<string, string>), ...(who === '' ? {} : { 'x-user': who }) },
    })
  /** The titles that wait for a user. */
  const titles = async (who: string) => {
    const { items } = (await (await call(who, '/approvals')).json()) as {
      items: { part: { metadata: { about: object } } }[]
    }
    return items.map(({ part }) => (part.metadata.about as { title: string }).title)
  }
  const asks = async (id: string, what: string) => {
    const conversation = agent.open({ kind: 'user', id, tenant: 'default' })
    return { conversation, turn: await conversation.say(what) }
  }
  return { agent, call, titles, asks }
}

const asPage = { headers: { accept: 'text/html' } }

test('an inbox has what waits for its owner over all sessions, and an operator’s has everything', async () => {
  const { agent, titles, asks } = await payers()
  await using _ = agent
  await asks('anna', 'A1')
  await asks('anna', 'A2')
  await asks('berta', 'B1')
  expect((await titles('anna')).toSorted()).toEqual(['Pay A1', 'Pay A2'])
  expect(await titles('berta')).toEqual(['Pay B1'])
  expect(await titles('carl')).toEqual([])
  expect(await titles('desk')).toHaveLength(3)
})

test('what is decided, here or elsewhere, is gone from it', async () => {
  const { agent, call, titles, asks } = await payers()
  await using _ = agent
  const first = await asks('anna', 'A1')
  const second = await asks('anna', 'A2')
  await first.conversation.deny()
  expect(await titles('anna')).toEqual(['Pay A2'])
  const approvalId = second.turn.approvals[0]?.approvalId ?? ''
  const body = JSON.stringify({ decision: 'denied', reason: 'No.' })
  const headers = { 'content-type': 'application/json' }
  expect((await call('berta', `/approvals/${approvalId}`, { method: 'POST', body, headers })).status).toBe(404)
  expect((await call('anna', `/approvals/${approvalId}`, { method: 'POST', body, headers })).status).toBe(200)
  expect((await call('anna', `/approvals/${approvalId}`, { method: 'POST', body, headers })).status).toBe(409)
  expect(await titles('anna')).toEqual([])
})

test('an inbox that is read while a request is being written has the request afterwards', async () => {
  let read = async (): Promise<unknown> => []
  const store = new MemoryStore({})
  const bind = store.bind.bind(store)
  // The index has the request before the log has it.
  store.bind = async (key, value) => {
    const bound = await bind(key, value)
    if (key.startsWith('waiting:')) expect(await read()).toEqual([])
    return bound
  }
  const { agent, titles, asks } = await payers({ data: { store } })
  await using _ = agent
  read = () => titles('anna')
  await asks('anna', 'A1')
  expect(await titles('anna')).toEqual(['Pay A1'])
})

test('the page of the inbox decides with one press, and says what became of it', async () => {
  const { agent, call, asks } = await payers()
  await using _ = agent
  const { turn } = await asks('anna', '<b>A1</b>')
  const page = await (await call('anna', '/approvals', asPage)).text()
  expect(page).toContain('One decision waits for you')
  expect(page).toContain('Pay &lt;b&gt;A1&lt;/b&gt;?')
  expect(page).toContain('<dt>Invoice</dt>')
  const body = new URLSearchParams({ decision: 'denied', reason: '' })
  const path = `/approvals/${turn.approvals[0]?.approvalId}`
  const pressed = await call('anna', path, { method: 'POST', body })
  expect([pressed.status, pressed.headers.get('location')]).toEqual([303, '../approvals?done=denied'])
  const after = await (await call('anna', '/approvals?done=denied', asPage)).text()
  expect(after).toContain('Denied.')
  expect(after).toContain('Nothing waits for your decision.')
  const twice = new URLSearchParams('decision=granted&decision=denied')
  expect((await call('anna', path, { method: 'POST', body: twice })).status).toBe(400)
})

test('a caller without a credential sees nothing, and another site’s page decides nothing by a cookie', async () => {
  const { agent, call, asks } = await payers()
  await using _ = agent
  const { turn } = await asks('anna', 'A1')
  expect((await call('', '/approvals')).status).toBe(401)
  const stranger = await call('', '/approvals', asPage)
  expect([stranger.status, stranger.headers.get('content-type')]).toEqual([401, 'text/html; charset=utf-8'])
  expect(await stranger.text()).toContain('<a href="./">Open the page</a>')
  const headers = { origin: 'https://evil.example', cookie: 'beach=x' }
  const body = new URLSearchParams({ decision: 'granted' })
  const path = `/approvals/${turn.approvals[0]?.approvalId}`
  expect((await call('anna', path, { method: 'POST', body, headers })).status).toBe(403)
})
