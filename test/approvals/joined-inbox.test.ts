import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { InboxOptions } from '@cool-ai/beach-web'
import { PersonTokens } from '@cool-ai/beach-channel/auth'
import { silentLogger, systemRuntime } from '@cool-ai/beach-core'
import { testAgent } from '@cool-ai/beach-testing'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { asPage, listening, payer, titlesIn, user } from './joined-agents.ts'

/** The travel agent's inbox shows the organiser's requests; both know their users by the same names. */
async function twoAgents() {
  const port = await freePort(2)
  const [travelUrl, organiserUrl] = [`http://127.0.0.1:${port}/`, `http://127.0.0.1:${port + 1}/`]
  // Grants are held for a moment, which passes by itself only on a real clock.
  const runtime = { ...systemRuntime(), logger: silentLogger }
  const shownAt = { travel: { url: travelUrl } }
  const organiser = await listening('organiser', port + 1, { runtime, approvals: { inbox: { shownAt } } })
  onTestFinished(organiser.agent.stop)
  const inbox = { shows: { organiser: { url: organiserUrl, name: 'Organiser' } } }
  const travel = await listening('travel', port, { runtime, approvals: { inbox } })
  onTestFinished(travel.agent.stop)
  return { travel, organiser }
}

/** A program in the place of another agent. */
async function foreign(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

const json = (response: ServerResponse, value: unknown) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))

const asked = (approvalId: string, title: string) => ({
  approvalId,
  requestedAt: 1,
  part: {
    data: { approvalId, toolName: 'pay', toolCallId: 'c', args: {}, handler: 'h', turn: 't', session: 's' },
    metadata: { partType: 'approval-request', about: { title } },
  },
})

/** The travel agent with this agent next to it, and one request of its own. */
async function besides(shows: InboxOptions['shows']) {
  const travel = await listening('travel', await freePort(), { approvals: { inbox: { shows } } })
  onTestFinished(travel.agent.stop)
  await travel.asks('anna', 'T1')
  return travel
}

test('one inbox shows what waits for a person at two agents, and a decision is made and recorded where it was asked', async () => {
  const { travel, organiser } = await twoAgents()
  await travel.asks('anna', 'T1')
  const { conversation, approvalId } = await organiser.asks('anna', 'O1')
  const { agents = [], ...own } = await travel.inbox('anna')
  expect([titlesIn(own), agents.map(titlesIn)]).toEqual([['Pay T1'], [['Pay O1']]])
  const page = await travel.page('anna')
  expect(page).toContain('2 decisions wait for you')
  expect(page).toMatch(/<h2 class="agent">The travel<.*Pay T1\?.*<h2 class="agent">Organiser<.*Pay O1\?/)
  const decided = await travel.decide('anna', `/approvals/at/organiser/${approvalId}`, 'granted')
  expect(decided.status).toBe(200)
  expect(await organiser.decisions(conversation.sessionId)).toMatchObject([
    { approvalId, decision: 'granted', payload: { decidedBy: 'user~anna', via: 'inbox:travel', reason: 'As agreed.' } },
  ])
  expect((await travel.decide('anna', `/approvals/at/organiser/${approvalId}`, 'denied')).status).toBe(409)
  expect(await travel.page('anna')).toContain('One decision waits for you')
})

test('the page decides there with one press, and says what became of it', async () => {
  const { travel, organiser } = await twoAgents()
  const { approvalId } = await organiser.asks('anna', 'O1')
  expect(await travel.page('anna')).toContain(`action="approvals/at/organiser/${approvalId}"`)
  const body = new URLSearchParams({ decision: 'denied', reason: '' })
  const press = () => travel.call('anna', `/approvals/at/organiser/${approvalId}`, { method: 'POST', body })
  const pressed = await press()
  expect([pressed.status, pressed.headers.get('location')]).toEqual([303, '../../../approvals?done=denied'])
  expect((await press()).headers.get('location')).toBe('../../../approvals?done=already')
  const after = await travel.page('anna', '?done=already')
  expect(after).toContain('That one had been decided before.')
  expect(after).toContain('Nothing waits for your decision.')
})

test('another person, a guest and a caller without a name see and decide nothing there', async () => {
  const { travel, organiser } = await twoAgents()
  const { approvalId } = await organiser.asks('anna', 'O1')
  const path = `/approvals/at/organiser/${approvalId}`
  expect(await travel.inbox('berta')).toMatchObject({ items: [], agents: [{ items: [] }] })
  expect((await travel.decide('berta', path, 'granted')).status).toBe(404)
  const { token } = (await (await travel.call('', '/sessions', { method: 'POST' })).json()) as { token: string }
  const guest = { headers: { authorization: `Bearer ${token}` } }
  expect(await (await travel.call('', '/approvals', guest)).json()).toMatchObject({
    items: [],
    agents: [{ items: [] }],
  })
  expect((await travel.decide('', path, 'granted')).status).toBe(401)
  expect((await travel.call('', '/approvals')).status).toBe(401)
  expect(titlesIn(await organiser.inbox('anna'))).toEqual(['Pay O1'])
})

test('an operator of one agent is none at the other, whose inbox the page leads to', async () => {
  const { travel, organiser } = await twoAgents()
  const { approvalId } = await organiser.asks('anna', 'O1')
  expect(await travel.inbox('desk')).toMatchObject({ agents: [{ items: [], problem: 'operator' }] })
  expect(await travel.page('desk')).toContain(`<a href="${organiser.url}/approvals">Open its inbox</a>`)
  expect((await travel.decide('desk', `/approvals/at/organiser/${approvalId}`, 'granted')).status).toBe(403)
})

test('an agent that names no inbox refuses, and the page says so next to the rest', async () => {
  const port = await freePort()
  const closed = await listening('closed', port)
  onTestFinished(closed.agent.stop)
  const { approvalId } = await closed.asks('anna', 'C1')
  const travel = await besides({ closed: { url: closed.url } })
  expect(await travel.inbox('anna')).toMatchObject({
    items: [{}],
    agents: [{ id: 'closed', items: [], problem: 'refused' }],
  })
  expect(await travel.page('anna')).toMatch(/Pay T1\?.*closed does not let this page show what waits for you there/)
  expect((await travel.decide('anna', `/approvals/at/closed/${approvalId}`, 'granted')).status).toBe(403)
})

test('the token that an agent of the list gets is of no use to it: not at the first agent, nor at another one', async () => {
  const tokens: string[] = []
  const thief = await foreign(({ headers }, response) => {
    tokens.push(headers.authorization ?? '')
    json(response, { items: [] })
  })
  const port = await freePort(2)
  const [travelUrl, organiserUrl] = [`http://127.0.0.1:${port}/`, `http://127.0.0.1:${port + 1}/`]
  const shownAt = { travel: { url: travelUrl } }
  const organiser = await listening('organiser', port + 1, { approvals: { inbox: { shownAt } } })
  const shows = { thief: { url: thief }, organiser: { url: organiserUrl } }
  const travel = await listening('travel', port, {
    approvals: { inbox: { shows, shownAt: { organiser: { url: organiserUrl } } } },
  })
  onTestFinished(async () => {
    await travel.agent.stop()
    await organiser.agent.stop()
  })
  await organiser.asks('anna', 'O1')
  const { agents = [] } = await travel.inbox('anna')
  expect([...agents.map(({ items }) => items.length), tokens.length]).toEqual([0, 1, 1])
  const headers = { authorization: tokens[0] ?? '' }
  for (const { call } of [travel, organiser]) {
    expect((await call('', '/approvals', { headers })).status).toBe(401)
    expect((await call('', '/sessions', { method: 'POST', headers })).status).toBe(401)
  }
})

test('an agent that may show the inbox cannot speak for an operator, with an old token, or for another agent', async () => {
  const secret = new Uint8Array(32).fill(9)
  const agent = await testAgent({ actors: { payer } })
  onTestFinished(agent.stop)
  const { clock } = agent.runtime
  // A secret may be listed twice: by the program and in its folder.
  const keys = new PersonTokens({ secret: [secret, secret], agentId: 'hub', clock })
  const keySet = await keys.keySet()
  const hub = await foreign((_, response) => json(response, keySet))
  const organiser = await listening('organiser', await freePort(), {
    runtime: agent.runtime,
    approvals: { inbox: { shownAt: { hub: { url: hub }, other: { url: 'http://127.0.0.1:1/' } } } },
  })
  onTestFinished(organiser.agent.stop)
  const status = async (token: string) =>
    (await organiser.call('', '/approvals', { headers: { authorization: `Bearer ${token}` } })).status
  const good = await keys.sign(user('anna'), 'organiser')
  expect(await status(good)).toBe(200)
  const asOperator = keys.sign({ ...user('anna'), kind: 'operator' }, 'organiser')
  await expect(asOperator).rejects.toThrow('for its users and guests only')
  expect(await status(await keys.sign(user('anna'), 'another'))).toBe(401)
  const forged = new PersonTokens({ secret: new Uint8Array(32).fill(10), agentId: 'hub', clock })
  expect(await status(await forged.sign(user('anna'), 'organiser'))).toBe(401)
  const unknown = new PersonTokens({ secret, agentId: 'stranger', clock })
  expect(await status(await unknown.sign(user('anna'), 'organiser'))).toBe(401)
  await agent.advance('91 seconds')
  expect(await status(good)).toBe(401)
})

test.each<[string, unknown, RegExp]>([
  ['nothing of use', 'words', /What evil answered cannot be read/],
  ['items that are none', { items: [1, { approvalId: '../../x' }, asked('..', 'Up')] }, /More waits there/],
  ['a script in a title', { items: [asked('a1', '<script>alert(1)</script>')] }, /&lt;script&gt;/],
  [
    'more than a page',
    { items: Array.from({ length: 70 }, (_, index) => asked(`a${index}`, `Pay ${index}`)) },
    /51 decisions wait for you.*Pay 49\?.*More waits there/,
  ],
  ['a title without end', { items: [asked('a1', 'x'.repeat(9_000))] }, /x{300}…\?/],
])('an agent that answers with %s changes nothing for the others', async (_, answer, shown) => {
  const travel = await besides({ evil: { url: await foreign((_request, response) => json(response, answer)) } })
  const page = await travel.page('anna')
  expect(page).toContain('Pay T1?')
  expect(page).toMatch(shown)
  expect(page).not.toMatch(/<script|Up\?|x{301}/)
})

test('an agent that answers with more than is read, or leads elsewhere, is said to be missing', async () => {
  const large = await foreign((_, response) => json(response, { items: ['x'.repeat(3 * 1024 * 1024)] }))
  const elsewhere = await foreign((_, response) => response.writeHead(302, { location: large }).end())
  const travel = await besides({ large: { url: large }, elsewhere: { url: elsewhere } })
  expect((await travel.inbox('anna')).agents).toMatchObject([{ problem: 'unreadable' }, { problem: 'unreachable' }])
})

test('an agent that does not answer is waited for no longer than three seconds', async () => {
  let arrived = () => {}
  const asking = new Promise<void>((resolve) => (arrived = resolve))
  const silent = await foreign(() => arrived())
  const travel = await besides({ silent: { url: silent, name: 'Silent' } })
  const page = travel.page('anna')
  await asking
  await travel.agent.advance('3 seconds')
  expect(await page).toMatch(/One decision waits for you.*Silent does not answer at the moment/)
})

test('a decision that an agent does not answer may have arrived, and the page says so', async () => {
  const silent = await foreign(({ method }, response) => {
    if (method === 'POST') response.destroy()
    else json(response, { items: [asked('a1', 'Pay S1')] })
  })
  const travel = await besides({ silent: { url: silent } })
  const body = new URLSearchParams({ decision: 'granted' })
  const pressed = await travel.call('anna', '/approvals/at/silent/a1', { method: 'POST', body })
  expect(pressed.headers.get('location')).toBe('../../../approvals?done=unknown')
  expect(await travel.page('anna', '?done=unknown')).toContain('it is not known whether your decision has arrived')
  expect((await travel.decide('anna', '/approvals/at/silent/a1', 'granted')).status).toBe(502)
})

test('a decision names an agent of the list and one of its requests', async () => {
  const asks: (string | undefined)[] = []
  const other = await foreign(({ url }, response) => {
    asks.push(url)
    json(response, { items: [] })
  })
  const travel = await besides({ other: { url: other } })
  for (const path of ['nobody/a1', 'other/%2e%2e%2fsessions', 'other/a%20b', '__proto__/a1']) {
    expect((await travel.decide('anna', `/approvals/at/${path}`, 'granted')).status).toBe(404)
  }
  const foreignPage = { method: 'POST', body: new URLSearchParams({ decision: 'granted' }) }
  const headers = { origin: 'https://evil.example', cookie: 'beach=x' }
  expect((await travel.call('anna', '/approvals/at/other/a1', { ...foreignPage, headers })).status).toBe(403)
  expect(asks).toEqual([])
})

test('an agent that shows no others has no keys, and its inbox is as before', async () => {
  const agent = await listening('alone', await freePort())
  onTestFinished(agent.agent.stop)
  expect((await agent.call('anna', '/approvals/keys')).status).toBe(404)
  expect(await agent.inbox('anna')).toEqual({ items: [] })
  expect((await agent.call('anna', '/approvals', asPage)).status).toBe(200)
})

test.each<[string, InboxOptions]>([
  ["names this agent itself, 'test-agent'", { shows: { 'test-agent': { url: 'https://a.example/' } } }],
  ["`inbox.shows` needs the https address of 'b'", { shows: { b: { url: 'http://b.example/' } } }],
  ["`inbox.shownAt` needs the https address of 'b'", { shownAt: { b: { url: 'https://me:secret@b.example/' } } }],
])('an agent does not start with an inbox that %s', async (message, inbox) => {
  await expect(testAgent({ actors: { payer }, approvals: { inbox } })).rejects.toThrow(message)
})

test('a cookie has a name that cookies can have', async () => {
  await expect(testAgent({ actors: { payer }, access: { cookieName: 'a b' } })).rejects.toThrow(
    '`cookieName` may have letters',
  )
})
