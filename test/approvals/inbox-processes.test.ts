import { expect, test, type TestContext } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { startServer } from '../support/server-process.ts'
import { asPage, titlesIn, type Inbox } from './joined-agents.ts'

const program = 'test/approvals/inbox-program.ts'

/** Two agents, each in a process of its own, whose inboxes show each other's requests. */
async function twoProcesses(context: TestContext) {
  const port = await freePort(2)
  const travel = { ID: 'travel', OTHER: 'organiser', OTHER_PORT: String(port + 1) }
  const organiser = { ID: 'organiser', OTHER: 'travel', OTHER_PORT: String(port) }
  return {
    travel: await startServer(context, { program, port, variables: travel }),
    organiser: await startServer(context, { program, port: port + 1, variables: organiser }),
  }
}

interface Server {
  readonly url: string
}

const call = (
  { url }: Server,
  who: string,
  path: string,
  init: { method?: string; body?: string; headers?: Record<string, string> } = {},
) => fetch(url + path, { ...init, headers: { 'content-type': 'application/json', 'x-user': who, ...init.headers } })

async function asks(server: Server, who: string, text: string): Promise<string> {
  const opened = await call(server, who, '/sessions', { method: 'POST' })
  const { sessionId } = (await opened.json()) as { sessionId: string }
  await call(server, who, `/sessions/${sessionId}/messages`, { method: 'POST', body: JSON.stringify({ text }) })
  return sessionId
}

const inboxOf = async (server: Server, who: string) => (await (await call(server, who, '/approvals')).json()) as Inbox
const titles = async (server: Server, who: string) => {
  const { agents = [], ...own } = await inboxOf(server, who)
  return [titlesIn(own), ...agents.map(titlesIn)]
}

test('one inbox over two processes: one is killed and the page says so, it is back and the decision is made there', async (context) => {
  const { travel, organiser } = await twoProcesses(context)
  await asks(travel, 'anna', 'T1')
  const session = await asks(organiser, 'anna', 'O1')
  await expect.poll(() => titles(travel, 'anna'), { timeout: 20_000 }).toEqual([['Pay T1'], ['Pay O1']])
  expect(await titles(organiser, 'anna')).toEqual([['Pay O1'], ['Pay T1']])
  expect(await titles(travel, 'berta')).toEqual([[], []])

  const { agents: [there] = [] } = await inboxOf(travel, 'anna')
  const path = `/approvals/at/organiser/${there?.items[0]?.approvalId}`
  const granted = { method: 'POST', body: JSON.stringify({ decision: 'granted' }) }
  await organiser.kill9()
  const page = await (await call(travel, 'anna', '/approvals', asPage)).text()
  expect(page).toMatch(/One decision waits for you.*Pay T1\?.*The organiser does not answer at the moment/)
  expect((await call(travel, 'anna', path, granted)).status).toBe(502)

  await organiser.start()
  expect(await titles(travel, 'anna')).toEqual([['Pay T1'], ['Pay O1']])
  expect((await call(travel, 'berta', path, granted)).status).toBe(404)
  expect((await call(travel, 'anna', path, granted)).status).toBe(200)
  expect((await call(travel, 'anna', path, granted)).status).toBe(409)
  expect(await titles(travel, 'anna')).toEqual([['Pay T1'], []])
  const history = async () => (await call(organiser, 'anna', `/sessions/${session}`)).json()
  await expect.poll(history, { timeout: 20_000 }).not.toHaveProperty('turn')
})
