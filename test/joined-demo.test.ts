import { expect, test } from 'vitest'
import { freePort } from './support/free-port.ts'
import { startServer } from './support/server-process.ts'

interface Inbox {
  readonly items: readonly {
    readonly approvalId: string
    readonly part: { readonly metadata: { about: { title: string } } }
  }[]
}

test('Sally and Baxter know a browser as one person: the inbox of each shows what waits at both, and decides it', async (context) => {
  const port = await freePort(2)
  await startServer(context, { program: 'examples/demo/start.mjs', port, variables: { BEACH_SCRIPT_MS: '0' } })
  const [sally, baxter] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${port + 1}`]
  const browser = async () => {
    const cookie = (await fetch(sally)).headers.getSetCookie()[0]?.split(';')[0] ?? ''
    const headers = { cookie, 'content-type': 'application/json' }
    const call = (url: string, body?: unknown) =>
      fetch(url, body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) })
    return {
      call,
      waiting: async (at: string) => {
        const { items, agents = [] } = (await (await call(`${at}/approvals`)).json()) as Inbox & { agents?: Inbox[] }
        return [items, ...agents.map((agent) => agent.items)].map((list) =>
          list.map(({ part }) => part.metadata.about.title),
        )
      },
    }
  }
  const { call, waiting } = await browser()
  const says = async (at: string, ...texts: string[]) => {
    const { sessionId } = (await (await call(`${at}/sessions`, {})).json()) as { sessionId: string }
    for (const text of texts) await call(`${at}/sessions/${sessionId}/messages`, { text })
    return sessionId
  }
  await says(sally, 'flights to Corfu in August', 'add EJ4521', 'book it')
  const session = await says(
    baxter,
    'ask travel for flights to Corfu in August',
    'ask travel to add BA 2043 and book it',
  )
  const easyJet = 'Book EJ4521 London Gatwick to Corfu, Sat 15 Aug 06:15, easyJet, direct, 2 passengers, £188.00'
  const british =
    'ExampleTravel: Book BA 2043 London Gatwick to Corfu, Sat 15 Aug 08:45, British Airways, direct, 2 passengers, £374.00'
  await expect.poll(() => waiting(sally), { timeout: 30_000 }).toEqual([[easyJet], [british]])
  expect(await waiting(baxter)).toEqual([[british], [easyJet]])
  expect(await (await browser()).waiting(sally)).toEqual([[], []])

  const { agents } = (await (await call(`${sally}/approvals`)).json()) as { agents: readonly Inbox[] }
  const path = `/approvals/at/example-organiser/${agents[0]?.items[0]?.approvalId}`
  expect((await call(sally + path, { decision: 'granted' })).status).toBe(200)
  expect(await waiting(baxter)).toEqual([[], [easyJet]])
  const turn = async () => ((await (await call(`${baxter}/sessions/${session}`)).json()) as { turn?: object }).turn
  await expect.poll(turn, { timeout: 30_000 }).toBeUndefined()
})
