import type { Originator, Principal } from '@cool-ai/beach-core'
import { whatsAppOriginator } from '@cool-ai/beach-phones'
import { expect, test } from 'vitest'
import { echo, until, type PhoneProcess } from '../support/phone-context.ts'
import { anna, whatsAppContext } from './whatsapp-context.ts'

const alex: Principal = { kind: 'user', id: 'alex', tenant: 'default' }
const sam: Principal = { kind: 'user', id: 'sam', tenant: 'default' }

/** A conversation of a user's page, which Anna's phone has joined. */
async function page({ beach }: PhoneProcess, principal: Principal) {
  const session = await beach.sessions.open({ principal })
  const from: Originator = { id: 'page', transport: 'sse', deliveryClass: 'streaming', principal }
  await beach.sessions.join(session, whatsAppOriginator({ phone: anna.phone, principal: alex }), principal)
  return {
    say: (text: string) =>
      beach.sessions.post(session, { parts: [{ text, metadata: { partType: 'message' } }], from }, principal),
    /** What was said in it, by whomever. */
    async received(): Promise<string[]> {
      const texts: string[] = []
      for await (const frame of beach.sessions.history(session, from)) {
        if (frame.kind === 'part' && frame.role === 'user') texts.push(frame.part.text ?? '')
      }
      return texts
    },
  }
}

test('what follows a message of a session is for that session, if it is the writer’s; and is answered once', async () => {
  const { standIn, start } = await whatsAppContext()
  const process = await start(echo, { principalOf: () => alex })
  const got = () => standIn.of(anna).map(({ text }) => text)
  const answered = (text: string) => until(() => got().includes(`You said: ${text}`))
  await standIn.text(anna, 'one')
  await answered('one')

  const own = await page(process, alex)
  await own.say('two')
  await answered('two')
  await standIn.text(anna, 'three')
  await answered('three')
  expect(await own.received()).toEqual(['two', 'three'])

  const others = await page(process, sam)
  await others.say('four')
  await answered('four')
  await standIn.text(anna, 'five')
  await answered('five')
  expect(await others.received()).toEqual(['four'])
  expect(await own.received()).toEqual(['two', 'three'])
  expect(got()).toEqual(['one', 'two', 'three', 'four', 'five'].map((text) => `You said: ${text}`))
})

test('a conversation goes on there until a new conversation is begun', async () => {
  const { standIn, start } = await whatsAppContext()
  const process = await start(echo, { principalOf: () => alex })
  await standIn.text(anna, 'one')
  const own = await page(process, alex)
  await until(() => standIn.of(anna).length === 1)
  await own.say('two')
  await until(() => standIn.of(anna).length === 2)
  await standIn.text(anna, 'three')
  await standIn.text(anna, 'four')
  await until(async () => (await own.received()).length === 3)
  await until(() => standIn.of(anna).at(-1)?.text.includes('four') === true)
  await standIn.text(anna, '/new')
  await standIn.text(anna, 'five')
  await until(() => standIn.of(anna).at(-1)?.text === 'You said: five')
  expect(await own.received()).toEqual(['two', 'three', 'four'])
})
