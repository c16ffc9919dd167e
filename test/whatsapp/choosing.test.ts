import type { WhatsAppReceived } from '@cool-ai/beach-testing/whatsapp'
import { describe, expect, test } from 'vitest'
import { flightActor, type Received } from '../support/flight-agent.ts'
import { until } from '../support/phone-context.ts'
import { anna, whatsAppContext, type WhatsAppContext } from './whatsapp-context.ts'

async function next({ standIn }: WhatsAppContext, write: () => Promise<unknown>): Promise<WhatsAppReceived> {
  const before = standIn.of(anna).length
  await write()
  await until(() => standIn.of(anna).length > before)
  const last = standIn.of(anna).at(-1)
  if (last === undefined) throw new Error('Nothing has come.')
  return last
}

async function listening() {
  const context = await whatsAppContext()
  const received: Received[] = []
  await context.start(flightActor(received))
  const said = (text: string, replyTo?: string) =>
    next(context, () => context.standIn.text(anna, text, replyTo === undefined ? {} : { replyTo }))
  const tapped = (message: WhatsAppReceived, title: string) =>
    next(context, () => context.standIn.tap(anna, message, title))
  return { context, received, said, tapped }
}

const rowsOf = ({ content }: WhatsAppReceived) =>
  content.interactive?.action.sections?.flatMap(({ rows }) => rows) ?? []

describe('a list', () => {
  test('is one message: everything in words, and a row for each thing and each button', async () => {
    const { said } = await listening()
    const list = await said('flights')
    expect(list.content.interactive?.body.text).toContain('2. easyJet U2 8021: at 11:40, £94')
    expect(rowsOf(list)).toEqual([
      { id: 'pick:1', title: '1. British Airways BA…', description: 'British Airways BA 2043, at 06:15, £187' },
      { id: 'pick:2', title: '2. easyJet U2 8021', description: 'at 11:40, £94' },
      { id: 'pick:3', title: '3. Ryanair FR 1142', description: 'at 19:05, £61' },
      { id: 'pick:4', title: '4. Cheapest' },
      { id: 'pick:5', title: '5. Earliest' },
    ])
  })

  test('that is too long for one message comes in words before its first ten rows', async () => {
    const { context, said, received } = await listening()
    const list = await said('many')
    await until(() => context.standIn.of(anna).length === 2)
    const [words = list, rows = list] = context.standIn.of(anna)
    expect(words.text).toContain('30. U2 8029: ')
    expect(rowsOf(rows).length).toBe(10)
    await said('30')
    expect(received.at(-1)?.text).toContain('U2 8029')
  })
})

describe('choosing', () => {
  test('is a tap on a row', async () => {
    const { said, tapped, received } = await listening()
    const list = await said('flights')
    await tapped(list, '2. easyJet U2 8021')
    expect(received.at(-1)?.text).toBe('2\neasyJet U2 8021: at 11:40, £94')
    await tapped(list, '5. Earliest')
    expect(received.at(-1)?.parts).toMatchObject([{ data: { action: { name: 'sort', context: { by: 'time' } } } }])
  })

  test.each(['2', 'the second'])('is a reply: %s', async (words) => {
    const { said, received } = await listening()
    await said('flights')
    await said(words)
    expect(received.at(-1)?.text).toBe(`${words}\neasyJet U2 8021: at 11:40, £94`)
  })

  test('from an older list is a tap on it, or a reply to it', async () => {
    const { said, tapped, received } = await listening()
    const first = await said('flights')
    await said('fewer')
    await tapped(first, '1. British Airways BA…')
    expect(received.at(-1)?.text).toContain('BA 2043')
    await said('1', first.id)
    expect(received.at(-1)?.text).toContain('BA 2043')
    await said('1')
    expect(received.at(-1)?.text).toContain('U2 8021')
  })

  test('by a reply to a message that lists nothing is no choice', async () => {
    const { said, received } = await listening()
    const first = await said('hello')
    await said('flights')
    await said('2', first.id)
    expect(received.at(-1)?.text).toBe('2')
  })

  test('by a tap on a list that is not known does nothing, and the person is told', async () => {
    const { context, said, received } = await listening()
    const list = await said('flights')
    const row = { type: 'list_reply', list_reply: { id: 'pick:2', title: '2. easyJet U2 8021' } }
    const tap = { type: 'interactive', interactive: row }
    const withoutContext = await next(context, () => context.standIn.write(anna, tap))
    const ofOther = await next(context, () => context.standIn.write(anna, { ...tap, context: { id: 'wamid.other' } }))
    const beyond = {
      ...tap,
      context: { id: list.id },
      interactive: { ...row, list_reply: { id: 'pick:99', title: 'x' } },
    }
    const notThere = await next(context, () => context.standIn.write(anna, beyond))
    for (const { text } of [withoutContext, ofOther, notThere]) expect(text).toContain('Nothing was done.')
    expect(received.length).toBe(1)
  })

  test('of a forwarded number is no choice', async () => {
    const { context, said, received } = await listening()
    await said('flights')
    await next(context, () =>
      context.standIn.write(anna, { type: 'text', text: { body: '2' }, context: { forwarded: true } }),
    )
    expect(received.at(-1)?.parts.length).toBe(1)
  })
})
