import { apiKeyAuth, hashApiKey, newApiKey } from '@cool-ai/beach-channel/auth'
import { describe, expect, test } from 'vitest'
import { anna, smsContext } from './sms/sms-context.ts'
import { echo, until } from './support/phone-context.ts'

const keys = { operator: newApiKey(), foreign: newApiKey(), user: newApiKey() }
const authenticators = [
  apiKeyAuth({
    header: 'x-api-key',
    keys: [
      { hash: hashApiKey(keys.operator), id: 'op', tenant: 'default', kind: 'operator' },
      { hash: hashApiKey(keys.foreign), id: 'op', tenant: 'elsewhere', kind: 'operator' },
      { hash: hashApiKey(keys.user), id: 'anna', tenant: 'default', kind: 'user' },
    ],
  }),
]

async function call(url: string, method: string, key: string) {
  const response = await fetch(url, { method, headers: { 'x-api-key': key } })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

async function agent() {
  const context = await smsContext()
  const process = await context.start(echo, {}, { access: { authenticators } })
  const ask = async (method: string, path: string, key: string = keys.operator) => {
    const { status, headers, ...response } = await call(`${process.url}/operator/${path}`, method, key)
    return { status, headers, body: response.text === '' ? undefined : (JSON.parse(response.text) as unknown) }
  }
  return { context, process, ask }
}

const paths = [
  ['GET', 'dead-letters'],
  ['POST', 'dead-letters/sess_a/b'],
  ['GET', 'put-aside'],
  ['POST', 'put-aside/sms/SM1'],
  ['DELETE', 'put-aside/sms/SM1'],
] as const

describe('what is for operators', () => {
  test.each(paths)('is for operators only: %s /operator/%s', async (method, path) => {
    const { process, ask } = await agent()
    const url = `${process.url}/operator/${path}`
    expect((await fetch(url, { method })).status).toBe(401)
    expect((await ask(method, path, keys.user)).status).toBe(403)
    expect((await ask(method, path, 'no key')).status).toBe(401)
    // A guest, by the token of its session.
    const opened = await fetch(`${process.url}/sessions`, { method: 'POST' })
    const { token } = (await opened.json()) as { token: string }
    expect((await fetch(url, { method, headers: { authorization: `Bearer ${token}` } })).status).toBe(403)
  })

  test.each([
    ['PUT', 'dead-letters', 'GET'],
    ['GET', 'dead-letters/sess_a/b', 'POST'],
    ['POST', 'put-aside', 'GET'],
    ['GET', 'put-aside/sms/SM1', 'POST, DELETE'],
  ])('says what it takes instead of %s %s', async (method, path, allow) => {
    const { ask } = await agent()
    const { status, headers } = await ask(method, path)
    expect([status, headers.get('allow')]).toEqual([405, allow])
  })

  test.each(['limit=0', 'limit=-1', 'limit=x', 'limit=1e9'])('refuses ?%s', async (query) => {
    const { ask } = await agent()
    for (const path of ['dead-letters', 'put-aside']) expect((await ask('GET', `${path}?${query}`)).status).toBe(400)
  })
})

test('a dead letter is listed with why it was given up, and sent again', async () => {
  const { context, ask } = await agent()
  context.twilio.server.lasting = { kind: 'answer', status: 400, body: { code: 21_614, message: 'not a mobile' } }
  await context.twilio.write(anna, 'hello')
  const letters = async (key?: string) => (await ask('GET', 'dead-letters', key)).body as Letters
  await until(async () => (await letters()).items[0]?.letter !== undefined)
  const [item] = (await letters()).items
  expect(item?.letter).toMatchObject({ attempts: 1, reason: expect.stringContaining('21614') })
  expect((await letters(keys.foreign)).items).toEqual([])
  const path = `dead-letters/${item?.sessionId}/${encodeURIComponent(item?.deliveryId ?? '')}`
  expect((await ask('POST', path, keys.foreign)).status).toBe(404)
  context.twilio.server.lasting = undefined
  expect(await ask('POST', path)).toMatchObject({ status: 202, body: { status: 'queued' } })
  await until(() => context.twilio.of(anna).some(({ body }) => body === 'You said: hello'))
  expect((await letters()).items).toEqual([])
  expect((await ask('POST', path)).status).toBe(404)
})

interface Letters {
  readonly items: readonly {
    readonly sessionId: string
    readonly deliveryId: string
    readonly letter?: { readonly reason?: string }
  }[]
}

test('a message that was put aside is listed, thrown away, or put back and then dealt with', async () => {
  const { context, process, ask } = await agent()
  const aside = (name: string, text: string) => {
    const id = `SM${name.repeat(32)}`
    const message = {
      id,
      accountSid: context.twilio.accountSid,
      from: anna,
      to: context.twilio.number,
      text,
      media: [],
    }
    const entry = { id, lane: anna, at: 1, item: { message, at: Date.now() } }
    return context.store.bind(`inbox-dead:sms:default:${id}`, JSON.stringify(entry))
  }
  await aside('a', 'one')
  await aside('b', 'two')
  const listed = await ask('GET', 'put-aside')
  expect(listed.body).toMatchObject({
    items: [
      { transport: 'sms', id: `SM${'a'.repeat(32)}`, from: anna, message: { message: { text: 'one' } } },
      { transport: 'sms', id: `SM${'b'.repeat(32)}` },
    ],
  })
  expect((await ask('GET', 'put-aside', keys.foreign)).body).toEqual({ items: [] })
  for (const method of ['POST', 'DELETE']) {
    expect((await ask(method, `put-aside/sms/SM${'a'.repeat(32)}`, keys.foreign)).status).toBe(404)
  }
  expect((await ask('DELETE', `put-aside/sms/SM${'a'.repeat(32)}`)).status).toBe(204)
  expect((await ask('POST', `put-aside/sms/SM${'b'.repeat(32)}`)).status).toBe(202)
  expect((await ask('GET', 'put-aside')).body).toEqual({ items: [] })
  await process.stop()
  await context.start(echo)
  await until(() => context.twilio.of(anna).length > 0)
  expect(context.twilio.of(anna).map(({ body }) => body)).toEqual(['You said: two'])
})
