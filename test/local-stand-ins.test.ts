import { expect, test, vi } from 'vitest'
import type { ChatState, MailboxState, PhoneMessage, PhoneState } from '../examples/local-stand-ins/page/shapes.ts'
import { Conversation } from './support/conversation.ts'
import { localCookie, printedMailbox } from './support/local-cookie.ts'
import { startServer } from './support/server-process.ts'

const program = 'examples/travel/start.mjs'
const patient = { timeout: 40_000 }

test(
  'the desk of this machine is asked by mail, on WhatsApp and in the work chat, once each over two kills, and decides by mail',
  { timeout: 120_000 },
  async (context) => {
    const server = await startServer(context, { program, variables: { BEACH_SCRIPT_MS: '0' } })
    const cookie = await localCookie(printedMailbox(server.output))
    const read = async <Value>(path: string) =>
      (await (await fetch(`${server.url}/local/api/${path}`, { headers: { cookie } })).json()) as Value
    const mails = async () => (await read<MailboxState>('mails')).boxes[0]?.mails ?? []
    const messages = async (): Promise<readonly PhoneMessage[]> =>
      (await read<PhoneState>('phones')).phones[0]?.whatsapp ?? []
    const killed = async () => {
      await server.kill9()
      await server.start()
    }

    const talk = await Conversation.open(server.url)
    await talk.say('add BA 2043')
    await talk.settled(1)
    await talk.say('book it')
    await talk.suspended()
    // Whatever of it has gone out by now, the next process goes on with the rest.
    await killed()
    const request = await vi.waitUntil(
      async () => (await mails()).find(({ subject }) => subject.startsWith('Approve: ')),
      patient,
    )
    const question = await vi.waitUntil(
      async () => (await messages()).find(({ buttons }) => buttons?.includes('Approve')),
      patient,
    )
    await killed()
    const send = (path: string, body: unknown) =>
      fetch(`${server.url}/local/api/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie },
        body: JSON.stringify(body),
      })
    expect((await send('mails', { neighbour: 'desk', answers: request.id, text: 'approve' })).status).toBe(201)
    await talk.settled(2)
    const booked = talk.partOf('response')?.text ?? ''
    expect(booked).toMatch(/Booked\. Your reference is ET-/)
    await vi.waitUntil(async () => (await messages()).some(({ text }) => text.includes('Booked.')), patient)
    const cards = async () =>
      ((await read<ChatState>('chats')).people[0]?.direct ?? []).filter(({ text }) => text.startsWith('Approval'))
    await vi.waitUntil(async () => (await cards()).some(({ text }) => text.includes('approved by mail')), patient)
    expect((await cards()).map(({ buttons }) => buttons)).toEqual([[]])
    await send('phones/desk/whatsapp', { tap: { message: question.id, title: 'Approve' } })
    await vi.waitUntil(
      async () => (await messages()).at(-1)?.text.startsWith('This has already been decided.') === true,
      patient,
    )
    const asked = (await messages()).filter(({ buttons }) => buttons?.includes('Approve'))
    expect(asked.map(({ id }) => id)).toEqual([question.id])
    const subjects = (await mails()).filter(({ isMine }) => !isMine).map(({ subject }) => subject)
    expect(subjects.filter((subject) => subject.startsWith('Approve: '))).toHaveLength(1)
  },
)

test('where the environment says how people reach the agent, there are no local stand-ins', async (context) => {
  const variables = { BEACH_SCRIPT_MS: '0', TRAVEL_PUBLIC_URL: 'https://travel.example' }
  const server = await startServer(context, { program, variables })
  expect((await fetch(`${server.url}/local/mailbox`)).status).toBe(404)
  expect((await fetch(`${server.url}/local/api/mails`)).status).toBe(404)
  expect(await (await fetch(server.url)).text()).not.toContain('/local/')
})
