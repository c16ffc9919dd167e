import { afterAll, beforeAll, expect, test } from 'vitest'
import { postOffice, written } from '@cool-ai/beach-testing/mail'
import { mailboxServer } from '../email/mailbox-server.ts'
import { Gate } from '../stop/gate.ts'
import { newDatabase } from '../support/postgres.ts'
import { readEvents, type ServerEvent } from '../support/server-events.ts'
import { fleetForTest } from './fleet.ts'

let database: Awaited<ReturnType<typeof newDatabase>>
beforeAll(async () => {
  database = await newDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

let schemas = 0
const ownSchema = () => `${database.url}?schema=leaving_${schemas++}`
const twoProcessesMs = 90_000

async function open(url: string) {
  const response = await fetch(`${url}/sessions`, { method: 'POST' })
  const { sessionId, token } = (await response.json()) as { sessionId: string; token: string }
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const say = (to: string, text: string) =>
    fetch(`${to}/sessions/${sessionId}/messages`, { method: 'POST', headers, body: JSON.stringify({ text }) })
  const events = (from: string, after?: string) =>
    readEvents(`${from}/sessions/${sessionId}/events`, { ...headers, ...(after && { 'last-event-id': after }) })
  return { say, events }
}

/** Reads until the condition holds or the stream ends; gives the last cursor, and whether the stream has ended. */
async function read(events: AsyncIterable<ServerEvent>, isEnough: (seen: string) => boolean = () => false) {
  let [cursor, seen] = [undefined as string | undefined, '']
  for await (const { id, event, data } of events) {
    cursor = id ?? cursor
    seen += `${event} ${JSON.stringify(data)}\n`
    if (isEnough(seen)) return { cursor, seen, isEnded: false }
  }
  return { cursor, seen, isEnded: true }
}

test(
  'a process that is killed is followed by another once its lease is over',
  async (context) => {
    const gate = await Gate.open(context)
    const variables = { LEASE_MS: '2000' }
    const [a, b] = await fleetForTest(2, { store: ownSchema(), gate: gate.url, variables })
    if (a === undefined || b === undefined) throw new Error('There are not two processes.')
    const session = await open(a.url)
    const idle = await open(a.url)
    await session.say(a.url, 'wait for it')
    await gate.asked('wait for it')
    await a.kill9()
    // Sessions without a turn wait for nothing.
    expect((await idle.say(b.url, 'hello')).status).toBe(202)
    await read(idle.events(b.url), (seen) => seen.includes('You said: hello'))
    await gate.open('wait for it', 'taken over')
    const { seen } = await read(session.events(b.url), (soFar) => soFar.includes('\nsettled'))
    expect(seen).toContain('wait for it: taken over')
  },
  twoProcessesMs,
)

test(
  'what guests may begin in a minute counts over all processes, a mail in a shared mailbox is answered once, and a process that is asked to end hands its turn over at once, so that its viewers go on at another one',
  async (context) => {
    const gate = await Gate.open(context)
    const [mailbox, office] = [await mailboxServer(), await postOffice()]
    context.onTestFinished(async () => {
      await mailbox.close()
      await office.close()
    })
    const variables = {
      GUESTS_PER_MINUTE: '20',
      IMAP_PORT: String(mailbox.port),
      OUTBOUND_PORT: String(office.port),
      GRACE_MS: '300',
      // Nothing but a release can hand over before a lease of ten minutes is over.
      LEASE_MS: '600000',
    }
    const [a, b] = await fleetForTest(2, { store: ownSchema(), gate: gate.url, variables })
    if (a === undefined || b === undefined) throw new Error('There are not two processes.')
    const session = await open(a.url)
    const guest = 'guest@unknown.example'
    for (let n = 0; n < 4; n++) {
      const mail = { from: guest, to: 'agent@corp.example', messageId: `<m${n}@unknown.example>`, text: `mail ${n}.` }
      mailbox.append(await written(mail))
    }
    const begin = async (url: string) => (await fetch(`${url}/sessions`, { method: 'POST' })).status
    /** How many are admitted before one is refused. */
    const admitted = async (url: string) => {
      let begun = 0
      await expect
        .poll(
          async () => {
            const status = await begin(url)
            if (status === 201) begun++
            return status
          },
          { interval: 10, timeout: 20_000 },
        )
        .toBe(429)
      return begun
    }
    // The session that is handed over below is one of the twenty.
    expect(await admitted(a.url)).toBeGreaterThanOrEqual(19)
    expect(await admitted(b.url)).toBeLessThan(20)
    const answersTo = (n: number) =>
      office.delivered.filter(({ email }) => email.text?.includes(`You said: mail ${n}.`)).length
    await expect.poll(() => [0, 1, 2, 3].map(answersTo), { timeout: 20_000 }).toEqual([1, 1, 1, 1])
    // A mail that both see at the same moment, after which all of the others have been dealt with.
    const last = { from: guest, to: 'agent@corp.example', messageId: '<last@unknown.example>', text: 'mail 9.' }
    mailbox.append(await written(last))
    await expect.poll(() => answersTo(9), { timeout: 20_000 }).toBe(1)
    expect([0, 1, 2, 3].map(answersTo)).toEqual([1, 1, 1, 1])
    await session.say(a.url, 'wait for it')
    await gate.asked('wait for it')
    const events = session.events(a.url)
    await events.next()
    const stopped = a.stop()
    const { cursor, isEnded } = await read(events)
    expect(isEnded).toBe(true)
    expect(await stopped).toBe(0)
    // The tool is idempotent: the other process runs it again.
    await gate.open('wait for it', 'handed over')
    const { seen } = await read(session.events(b.url, cursor), (soFar) => soFar.includes('\nsettled'))
    expect(seen).toContain('wait for it: handed over')
    expect((await session.say(b.url, 'and on')).status).toBe(202)
  },
  twoProcessesMs,
)
