import type { Principal } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import { startAgent } from '../agui/agent.ts'
import { tableFlows } from './shop-flows.ts'

const alex: Principal = { kind: 'user', id: 'alex', tenant: 'default' }

/** An agent with a flow that is open, and the link that a mail or a phone would have got. */
async function open() {
  const made = tableFlows({ publicUrl: 'http://unused.example' })
  const { url, beach } = await startAgent(made.beach)
  const session = await beach.sessions.open({ principal: alex })
  const { instanceId } = await made.flows.invoke(session, { intentId: 'table.book', entities: { guests: 4 } }, alex)
  for await (const frame of beach.sessions.history(session, {
    id: 'mail',
    transport: 'sse',
    deliveryClass: 'streaming',
    principal: alex,
  })) {
    if (frame.kind !== 'part') continue
    const text = made.partTypes.get('intentflow.render')?.toText?.(frame.part) ?? ''
    const path = /\/intentflow\/open\/\S+/.exec(text)?.[0]
    if (path !== undefined) return { ...made, agentUrl: url, link: url + path, text, session, instanceId }
  }
  throw new Error('There is no link.')
}

test('what a mail says of it is how to go on; what takes more than a word cannot be answered', async () => {
  const { text } = await open()
  expect(text).toMatch(/^A table for 4, <asking>\n\nTo go on, open http:\/\/unused\.example\/intentflow\/open\/\S+$/)
})

const post = (link: string, fields: Record<string, string>) =>
  fetch(link, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' })

const filled = {
  event: 'CONFIRM',
  seq: '0',
  'p.name': 'Alex <b>',
  'p.area': 'terrace',
  'p.highChairs': '2',
  'p.isBirthday': 'on',
}

test('the page shows the flow and a form for what can be done, without scripts, and it cannot be framed', async () => {
  const { link, flows, session } = await open()
  const response = await fetch(link)
  const html = await response.text()
  expect(response.status).toBe(200)
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  expect(response.headers.get('x-frame-options')).toBe('DENY')
  expect(response.headers.get('referrer-policy')).toBe('same-origin')
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(html).not.toContain('<script')
  expect(html).toContain('A table for 4, &lt;asking&gt;')
  expect(html).toContain('<button type="submit">Book it</button>')
  expect(html).toContain('<input type="text" name="p.name" required>')
  expect(html).toMatch(
    /<select name="p.area"><option value=""><\/option><option>inside<\/option><option>terrace<\/option>/,
  )
  expect(html).toContain('<input type="number" step="1" name="p.highChairs">')
  expect(html).toContain('<input type="checkbox" name="p.isBirthday">')
  expect(await flows.active(session)).toMatchObject({ [Object.keys(await flows.active(session))[0] ?? '']: { seq: 0 } })
})

test('a form is sent for the owner, once however often it is sent, and then the flow is over', async () => {
  const { link, booked, flows, session } = await open()
  const responses = await Promise.all([post(link, filled), post(link, filled)])
  expect(responses.map(({ status }) => status)).toEqual([303, 303])
  expect(link).toContain(responses[0]?.headers.get('location') ?? 'none')
  await expect.poll(async () => Object.keys(await flows.active(session)).length).toBe(0)
  expect(booked).toEqual([{ name: 'Alex <b>', area: 'terrace', highChairs: 2, isBirthday: true }])
  const after = await (await fetch(link)).text()
  expect(after).toContain('This is done.')
  expect(after).not.toContain('<form')
  expect((await post(link, { ...filled, seq: '1' })).status).toBe(404)
  expect(booked).toHaveLength(1)
})

test('what is wrong with a form is said above it', async () => {
  const { link, booked } = await open()
  const empty = await post(link, { ...filled, 'p.name': '' })
  expect(empty.status).toBe(400)
  expect(await empty.text()).toMatch(/class="notice"[^>]*>[^<]*name/)
  const number = await post(link, { ...filled, 'p.highChairs': 'two' })
  expect(await number.text()).toContain('“High chairs” must be a number.')
  const stale = await post(link, { ...filled, seq: '7' })
  expect(stale.status).toBe(409)
  expect(await stale.text()).toContain('The flow has changed in the meantime.')
  const forged = await post(link, { event: 'BOOKED', seq: '0', 'p.code': 'free' })
  expect(forged.status).toBe(409)
  expect(
    (await fetch(link, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } })).status,
  ).toBe(400)
  expect((await fetch(link, { method: 'DELETE' })).status).toBe(405)
  expect(booked).toEqual([])
})

test('a form of another page, or with a field twice, does nothing', async () => {
  const { link, booked } = await open()
  const body = new URLSearchParams(filled)
  const foreign = await fetch(link, { method: 'POST', body, headers: { origin: 'https://evil.example' } })
  expect(foreign.status).toBe(403)
  const twice = new URLSearchParams([...body, ['p.area', 'inside']])
  expect((await fetch(link, { method: 'POST', body: twice })).status).toBe(400)
  expect(booked).toEqual([])
})

test('a failure leaves the flow open, and the page says what the flow says', async () => {
  const { link, flows, session, instanceId } = await open()
  expect((await post(link, { ...filled, 'p.name': 'Nobody' })).status).toBe(303)
  await expect.poll(async () => (await flows.active(session))[instanceId]?.state).toBe('asking')
  expect(await (await fetch(link)).text()).toContain('There is no table left.')
})

test('an unknown link leads nowhere, and one that was dismissed says so', async () => {
  const { link, agentUrl } = await open()
  const unknown = await fetch(`${agentUrl}/intentflow/open/abc.def`)
  expect(unknown.status).toBe(404)
  const [body = ''] = link.slice(link.lastIndexOf('/') + 1).split('.')
  expect((await fetch(`${agentUrl}/intentflow/open/${body}.${'A'.repeat(43)}`)).status).toBe(404)
  expect((await post(link, { event: ' dismiss', seq: '0' })).status).toBe(303)
  expect(await (await fetch(link)).text()).toContain('This was cancelled.')
})

test('what there is to be known of the flows can be read by any caller, but for flows that are for some people only', async () => {
  const { agentUrl, flows } = await open()
  const { registry } = flows
  const secretive = { ...registry.getFlow('table.book'), intentId: 'table.audit', permissions: { roles: ['auditor'] } }
  registry.register(secretive as NonNullable<ReturnType<typeof registry.getFlow>>)
  const response = await fetch(`${agentUrl}/intentflow/manifest`)
  expect(response.headers.get('cache-control')).toBe('no-cache')
  const manifest = (await response.json()) as { flows: readonly Record<string, unknown>[] }
  expect(manifest).toMatchObject({ protocol: 'intentflow', v: 1 })
  expect(manifest.flows).toMatchObject([
    { intentId: 'table.book', tool: 'table__book', states: ['asking', 'booking', 'booked'], finalStates: ['booked'] },
  ])
  expect(JSON.stringify(manifest)).not.toContain('auditor')
  expect((await fetch(`${agentUrl}/intentflow/manifest`, { method: 'POST' })).status).toBe(405)
})
