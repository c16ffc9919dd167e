import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBeach, defineActor, openData, serve, type Serving } from '@cool-ai/beach'
import { noteRequest } from '@cool-ai/beach-channel/http'
import { a2uiBuilder as ui } from '@cool-ai/beach-a2ui'
import { createSlackAdapter } from '@chat-adapter/slack'
import { chatChannel } from '@cool-ai/beach-chat'
import { email } from '@cool-ai/beach-email'
import { sms, whatsApp } from '@cool-ai/beach-phones'
import { describe, expect, test, vi, type TestContext } from 'vitest'
import { freePort } from '../../test/support/free-port.ts'
import { localCookie } from '../../test/support/local-cookie.ts'
import { localChannel } from './local-channel.ts'
import { LocalKey } from './local-key.ts'
import { openLocalStandIns, type LocalPerson } from './local-stand-ins.ts'
import type {
  ChatForm,
  ChatMessage,
  ChatPlace,
  ChatState,
  MailboxState,
  MailDetail,
  PhoneMessage,
  PhoneState,
} from './page/shapes.ts'

const anna: LocalPerson = { id: 'anna', name: 'Anna', address: 'anna@home.example', phone: '+447700900002' }

const cups = ui.surface({
  surfaceId: 'cups',
  data: { cups: 2 },
  root: ui.column(
    ui.slider({ label: 'Cups', value: ui.bind('/cups'), max: 9 }),
    ui.button({ label: 'Pour', action: ui.action('pour', { cups: ui.bind('/cups') }) }),
  ),
})

/** Answers with who wrote, and with what they wrote. */
const echo = defineActor(async ({ text, respond, messages }) => {
  const from = messages[0]?.from.principal
  const parts =
    text === 'choose'
      ? [{ partType: 'clarify', text: 'Tea or coffee?', metadata: { options: ['Tea', 'Coffee'] } }]
      : text === 'form'
        ? [{ partType: 'a2ui-surface', data: cups }]
        : [{ partType: 'response', text: `${from?.kind} ${from?.id} said: ${text}` }]
  await respond({ parts, turnState: text === 'choose' ? 'clarifying' : 'complete' })
})

interface Street {
  readonly serving: Serving
  readonly opening: { readonly mailbox: string; readonly phone: string }
  readonly cookie: string
  get<Value>(path: string): Promise<Value>
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>
  close(): Promise<void>
}

/** An agent with local stand-ins, in a folder that it finds again. */
async function street(folder: string): Promise<Street> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const data = await openData({ folder })
  const agent = { name: 'Sally', address: 'sally@travel.example' }
  const around = await openLocalStandIns({
    folder: join(folder, 'neighbourhood'),
    url,
    secret: data.secret,
    agent,
    people: [anna],
  })
  const mail = email(around.mail)
  const slack = createSlackAdapter(around.slack)
  const workChat = chatChannel({ adapters: { slack }, listensTo: 'threads' })
  const channels = [mail, whatsApp(around.whatsApp), sms(around.sms), workChat, around.pages(mail)]
  const beach = await createBeach({ data, agent: { id: 'sally', name: 'Sally' }, actors: { echo }, channels })
  const serving = await serve(beach, { port })
  const api = `${url}/local/api`
  const cookie = await localCookie(around.opening.mailbox)
  return {
    serving,
    opening: around.opening,
    cookie,
    async get<Value>(path: string) {
      const response = await fetch(`${api}/${path}`, { headers: { cookie } })
      expect(response.status, path).toBe(200)
      return (await response.json()) as Value
    },
    post: (path, body = {}, headers = {}) =>
      fetch(`${api}/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie, ...headers },
        body: JSON.stringify(body),
      }),
    async close() {
      await serving.close()
      await around.close()
    },
  }
}

async function newStreet(context: TestContext): Promise<Street & { again(): Promise<Street> }> {
  const folder = mkdtempSync(join(tmpdir(), 'beach-test-'))
  let current = await street(folder)
  const first = current
  context.onTestFinished(async () => {
    await current.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    ...first,
    async again() {
      await current.close()
      current = await street(folder)
      return current
    },
  }
}

const mailsOf = async (place: Street) => (await place.get<MailboxState>('mails')).boxes[0]?.mails ?? []
const messagesOf = async (place: Street, app: 'whatsapp' | 'sms') =>
  (await place.get<PhoneState>('phones')).phones[0]?.[app] ?? []

/** Waits for the last of the messages to be the agent's. */
async function answered(place: Street, app: 'whatsapp' | 'sms'): Promise<PhoneMessage> {
  return vi.waitUntil(
    async () => {
      const last = (await messagesOf(place, app)).at(-1)
      return last?.isMine === false ? last : undefined
    },
    { timeout: 20_000 },
  )
}

describe('mail', () => {
  test('is signed by its writer’s domain, so that the agent knows who writes; what it answers can be read', async (context) => {
    const place = await newStreet(context)
    const sent = await place.post('mails', { neighbour: 'anna', subject: 'Hello', text: 'Good day' })
    expect(sent.status).toBe(201)
    const answer = await vi.waitUntil(async () => (await mailsOf(place)).find(({ isMine }) => !isMine), {
      timeout: 20_000,
    })
    expect(answer).toMatchObject({ subject: 'Re: Hello', from: 'Sally', to: anna.address, isNew: true })
    const detail = await place.get<MailDetail>(`mails/${answer.id}`)
    expect(detail.text).toContain(`user email:${anna.address} said: Hello\n\nGood day`)
    expect(await place.get('news/mailbox')).toEqual({ count: 1 })
    expect((await place.post(`mails/${answer.id}/read`)).status).toBe(204)
    expect(await place.get('news/mailbox')).toEqual({ count: 0 })
    expect((await mailsOf(place)).map(({ isMine }) => isMine)).toEqual([false, true])

    // Its HTML is shown where nothing runs.
    const headers = { cookie: place.cookie }
    const html = await fetch(`${place.serving.url}/local/api/mails/${answer.id}/html`, { headers })
    expect(await html.text()).toContain('Good day')
    expect(html.headers.get('content-security-policy')).toMatch(/^sandbox allow-popups[^;]*; default-src 'none';/)
    expect(html.headers.get('content-security-policy')).not.toContain('allow-scripts')

    // An answer goes on in the same conversation, and what is quoted in it is not said again.
    await place.post('mails', { neighbour: 'anna', answers: answer.id, text: 'And good night' })
    await vi.waitUntil(async () => (await mailsOf(place)).length === 4, { timeout: 20_000 })
    const [next] = await mailsOf(place)
    const { text } = await place.get<MailDetail>(`mails/${next?.id}`)
    expect(text).toContain('said: And good night')
    expect(text).not.toContain('Good day')
  })
})

describe('a phone', () => {
  test('writes on WhatsApp, and taps the buttons that come', async (context) => {
    const place = await newStreet(context)
    expect((await place.post('phones/anna/whatsapp', { text: 'choose' })).status).toBe(204)
    const question = await answered(place, 'whatsapp')
    expect(question).toMatchObject({ text: 'Tea or coffee?', buttons: ['Tea', 'Coffee'], isNew: true })
    const tap = { message: question.id, title: 'Tea' }
    expect((await place.post('phones/anna/whatsapp', { tap })).status).toBe(204)
    await vi.waitUntil(async () => (await answered(place, 'whatsapp')).id !== question.id, { timeout: 20_000 })
    const messages = await messagesOf(place, 'whatsapp')
    expect(messages.map(({ isMine, text }) => (isMine ? text : '…'))).toEqual(['choose', '…', 'Tea', '…'])
    expect(messages[2]?.replyTo).toBe(question.id)
    expect(messages.at(-1)?.text).toContain('said: Tea')
    const wrong = await place.post('phones/anna/whatsapp', { tap: { message: question.id, title: 'Milk' } })
    expect([wrong.status, await wrong.text()]).toEqual([404, expect.stringContaining("no button 'Milk'")])
  })

  test('writes by SMS, and is seen to have read', async (context) => {
    const place = await newStreet(context)
    await place.post('phones/anna/sms', { text: 'Good day' })
    const answer = await answered(place, 'sms')
    expect(answer.text).toContain('said: Good day')
    expect(await place.get('news/phone')).toEqual({ count: 1 })
    expect((await place.post('phones/anna/sms/read')).status).toBe(204)
    expect(await place.get('news/phone')).toEqual({ count: 0 })
    const tapped = await place.post('phones/anna/sms', { tap: { message: answer.id, title: 'Tea' } })
    expect([tapped.status, await tapped.text()]).toEqual([400, expect.stringContaining('An SMS has no buttons')])
  })
})

const chatOf = async (place: Street, where: ChatPlace) => (await place.get<ChatState>('chats')).people[0]?.[where] ?? []

/** Waits until the agent has said so many things there; the last of them. */
async function saidByAgent(place: Street, where: ChatPlace, count: number): Promise<ChatMessage> {
  return vi.waitUntil(
    async () => {
      const own = (await chatOf(place, where)).filter(({ isAgent }) => isAgent)
      return own.length === count ? own.at(-1) : undefined
    },
    { timeout: 20_000 },
  )
}

describe('a work chat', () => {
  test('a mention begins a thread, in which buttons answer; a direct message is apart from it', async (context) => {
    const place = await newStreet(context)
    expect((await place.post('chats/anna/channel', { text: 'nobody is asked' })).status).toBe(204)
    expect((await place.post('chats/anna/channel', { text: '@sally choose' })).status).toBe(204)
    const question = await saidByAgent(place, 'channel', 1)
    const root = (await chatOf(place, 'channel'))[1]
    expect(root).toMatchObject({ by: 'Anna', text: '@Sally choose', isMine: true })
    expect(question).toMatchObject({
      thread: root?.id,
      text: 'Tea or coffee?',
      buttons: ['Tea', 'Coffee'],
      isNew: true,
    })
    expect(await place.get('news/chat')).toEqual({ count: 1 })
    expect((await place.post('chats/anna/channel/read')).status).toBe(204)
    expect(await place.get('news/chat')).toEqual({ count: 0 })
    const press = { message: question.id, label: 'Tea' }
    expect((await place.post('chats/anna/channel', { press })).status).toBe(204)
    expect((await saidByAgent(place, 'channel', 2)).text).toContain('said: Tea')
    // A reply in the thread needs no mention.
    await place.post('chats/anna/channel', { text: 'and milk', thread: root?.id })
    expect(await saidByAgent(place, 'channel', 3)).toMatchObject({ thread: root?.id, by: 'Sally' })
    await place.post('chats/anna/direct', { text: 'Good day' })
    expect((await saidByAgent(place, 'direct', 1)).text).toContain('said: Good day')
    await place.post('chats/anna/direct', { text: 'form' })
    const form = await saidByAgent(place, 'direct', 2)
    expect(form.buttons).toEqual(['Pour …'])
    const pour = { message: form.id, label: 'Pour …' }
    const opened = (await (await place.post('chats/anna/direct', { press: pour })).json()) as ChatForm
    const field = { id: 'f0', label: 'Cups', kind: 'number', value: '2', isOptional: false }
    expect(opened).toEqual({ id: opened.id, title: 'Pour', submit: 'Pour', fields: [field] })
    const submit = { form: opened.id, values: { f0: '7' } }
    expect((await place.post('chats/anna/direct', { submit })).status).toBe(204)
    expect((await saidByAgent(place, 'direct', 3)).text).toMatch(/cups.*7/s)
    expect((await place.post('chats/anna/direct', { submit })).status, 'it is closed').toBe(404)
  })

  test('says what cannot be done', async (context) => {
    const place = await newStreet(context)
    const answer = async (path: string, body: unknown) => {
      const got = await place.post(path, body)
      return `${got.status} ${await got.text()}`
    }
    expect(await answer('chats/eve/direct', { text: 'x' })).toMatch(/^404 .*no person/)
    expect(await answer('chats/anna/elsewhere', { text: 'x' })).toMatch(/^404 /)
    expect(await answer('chats/anna/channel', { text: 'x', thread: '1.1' })).toMatch(/^404 .*no such message/)
    expect(await answer('chats/anna/direct', { press: { message: '1.1', label: 'Tea' } })).toMatch(/^404 /)
    await place.post('chats/anna/direct', { text: 'choose' })
    const { id } = await saidByAgent(place, 'direct', 1)
    expect(await answer('chats/anna/direct', { press: { message: id, label: 'Milk' } })).toMatch(/no button 'Milk'/)
  })
})

test('what was said is still there after a restart, and goes on', async (context) => {
  const place = await newStreet(context)
  await place.post('mails', { neighbour: 'anna', subject: 'Hello', text: 'By mail' })
  await place.post('phones/anna/whatsapp', { text: 'choose' })
  await place.post('phones/anna/sms', { text: 'By SMS' })
  await place.post('chats/anna/direct', { text: 'choose' })
  const asked = await saidByAgent(place, 'direct', 1)
  const question = await answered(place, 'whatsapp')
  await answered(place, 'sms')
  await vi.waitUntil(async () => (await mailsOf(place)).length === 2, { timeout: 20_000 })
  await place.post('phones/anna/sms/read')
  const all = async (from: Street) => [
    await mailsOf(from),
    await messagesOf(from, 'whatsapp'),
    await messagesOf(from, 'sms'),
    await chatOf(from, 'direct'),
  ]
  const before = await all(place)
  const later = await place.again()
  expect(await all(later)).toEqual(before)
  await later.post('chats/anna/direct', { press: { message: asked.id, label: 'Coffee' } })

  expect((await saidByAgent(later, 'direct', 2)).text).toContain('said: Coffee')
  // What comes now is no repetition of what came before.
  await later.post('phones/anna/whatsapp', { tap: { message: question.id, title: 'Coffee' } })
  await vi.waitUntil(async () => (await answered(later, 'whatsapp')).id !== question.id, { timeout: 20_000 })
  expect((await answered(later, 'whatsapp')).text).toContain('said: Coffee')
  await later.post('phones/anna/sms', { text: 'Once more' })
  expect((await answered(later, 'sms')).text).toContain('said: Once more')
  expect(await messagesOf(later, 'sms')).toHaveLength(4)
})

describe('what cannot be done', () => {
  test('is said', async (context) => {
    const place = await newStreet(context)
    const said = async (response: Promise<Response>) => {
      const { status, text } = await response.then(async (got) => ({ status: got.status, text: await got.text() }))
      return `${status} ${text}`
    }
    const post = (path: string, body: unknown) => place.post(path, body)
    const headers = { cookie: place.cookie }
    const at = (path: string, init?: RequestInit) => fetch(`${place.serving.url}/local/${path}`, { headers, ...init })
    expect(await said(post('mails', { neighbour: 'anna', text: ' ' }))).toMatch(/^400 .*text/)
    expect(await said(post('mails', { neighbour: 'bob', text: 'x' }))).toMatch(/^404 .*no person of that name/)
    expect(await said(post('mails', { neighbour: 'anna', text: 'x', answers: 'none' }))).toMatch(/^404 .*no such mail/)
    expect(await said(post('phones/bob/sms', { text: 'x' }))).toMatch(/^404 .*no person of that name/)
    expect(await said(post('phones/anna/fax', { text: 'x' }))).toMatch(/^404 /)
    expect(await said(post('phones/anna/whatsapp', { text: 'x', replyTo: 'y' }))).toMatch(/^404 .*no such message/)
    expect(await said(at('api/mails', { method: 'DELETE' }))).toMatch(/^405 .*GET or POST/)
    expect(await said(at('api/mails/none'))).toMatch(/^404 .*no such mail/)
    expect(await said(at('api/media/none'))).toMatch(/^404 .*no such file/)
    expect(await said(at('nothing'))).toMatch(/^404 .*\/local\/mailbox/)
    expect(await said(at('%E0%A4%A'))).toMatch(/^404 /)
  })

  test('is anything, for callers elsewhere or from another site', async (context) => {
    const place = await newStreet(context)
    const mail = { neighbour: 'anna', text: 'forged' }
    const foreign = await place.post('mails', mail, { origin: 'http://evil.example' })
    expect(foreign.status).toBe(403)
    const forwarded = await place.post('mails', mail, { 'x-forwarded-for': '203.0.113.7' })
    expect(forwarded.status).toBe(404)
    expect(await mailsOf(place)).toEqual([])
    const key = new LocalKey(new Uint8Array(32), 'http://127.0.0.1:80')
    const pages = localChannel({
      key,
      mailboxes: undefined as never,
      phones: undefined as never,
      chats: undefined as never,
    })
    const exchanged = await key.exchange(new Request(key.link('/local/mailbox')))
    const cookie = exchanged?.headers.get('set-cookie')?.split(';', 1)[0]
    const from = async (address?: string, host = '127.0.0.1') => {
      const request = new Request(`http://${host}/local/api/nothing`, { headers: { cookie: cookie ?? '' } })
      if (address !== undefined) noteRequest(request, { remoteAddress: () => address })
      return (await (await pages.fetch?.(request))?.text()) ?? ''
    }
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1'])
      expect(await from(address)).toContain('nothing here')
    expect(await from('192.168.1.7')).toContain('only for users of the machine')
    expect(await from()).toContain('only for users of the machine')
    expect(await from('127.0.0.1', 'agent.example')).toContain('only for users of the machine')
  })

  test('is anything, for callers without the key, also on this machine', async (context) => {
    const place = await newStreet(context)
    const { url } = place.serving
    await place.post('mails', { neighbour: 'anna', subject: 'Mine', text: 'secret' })
    const paths = ['mailbox', 'phone', 'api/mails', 'api/phones', 'api/mails/1', 'api/mails/1/html', 'assets/x.js', '']
    for (const headers of [{}, { cookie: 'beach_local=x' }, { cookie: `${place.cookie}x` }]) {
      for (const path of paths) {
        const response = await fetch(`${url}/local/${path}`, { headers })
        expect([path, response.status]).toEqual([path, 403])
        expect(await response.text()).toContain('the link that the agent printed when it started')
      }
      const writing = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } }
      const body = JSON.stringify({ neighbour: 'anna', text: 'forged' })
      expect((await fetch(`${url}/local/api/mails`, { ...writing, body })).status).toBe(403)
    }
    expect(await (await fetch(`${url}/local/api/news/mailbox`)).json()).toEqual({ isOpen: false })
    expect(await (await fetch(url)).text()).not.toContain('key=')
    expect((await mailsOf(place)).filter(({ isMine }) => isMine)).toHaveLength(1)
  })

  test('is guessed: after twenty wrong keys come refusals, and the cookie still opens', async (context) => {
    const place = await newStreet(context)
    const guess = async () => (await fetch(`${place.serving.url}/local/mailbox?key=x`, { redirect: 'manual' })).status
    const statuses = []
    for (let tries = 0; tries < 22; tries++) statuses.push(await guess())
    expect([statuses[0], statuses.at(-1)]).toEqual([403, 429])
    expect(await place.get('news/mailbox')).toEqual({ count: 0 })
  })
})

describe('the link that the start prints', () => {
  test('leaves a cookie for these pages and an address without the key, and is the same after a restart', async (context) => {
    const place = await newStreet(context)
    const response = await fetch(place.opening.phone, { redirect: 'manual' })
    expect([response.status, response.headers.get('location')]).toEqual([303, '/local/phone'])
    expect(response.headers.get('set-cookie')).toMatch(
      /^beach_local_\d+=[\w-]{43}; Max-Age=\d+; Path=\/local; HttpOnly; SameSite=Strict$/,
    )
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    const later = await place.again()
    expect(new URL(later.opening.phone).search).toBe(new URL(place.opening.phone).search)
  })

  test('is not there for an agent that others reach', async () => {
    const agent = { name: 'Sally', address: 'sally@travel.example' }
    const options = { url: 'https://agent.example', secret: new Uint8Array(32), agent, people: [anna] }
    await expect(openLocalStandIns(options)).rejects.toThrow('for a loopback address')
  })
})
