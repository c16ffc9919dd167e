import { segmentsOf } from '@cool-ai/beach-phones'
import { describe, expect, test } from 'vitest'
import { flightActor, flights, type Received } from '../support/flight-agent.ts'
import { until } from '../support/phone-context.ts'
import { anna, berta, smsContext, type SmsContext } from './sms-context.ts'

async function said({ twilio }: SmsContext, text: string, from = anna): Promise<string> {
  const before = twilio.of(from).length
  await twilio.write(from, text)
  await until(() => twilio.of(from).length > before)
  return twilio.of(from).at(-1)?.body ?? ''
}

async function listening() {
  const context = await smsContext()
  const received: Received[] = []
  const process = await context.start(flightActor(received))
  return { context, received, process }
}

const [, second] = flights

describe('a list', () => {
  test('is numbered lines with everything that its surface says, and its data is not said twice', async () => {
    const { context } = await listening()
    expect(await said(context, 'flights')).toBe(
      [
        'Three direct flights.',
        '',
        'London to Corfu',
        '',
        '1. British Airways BA 2043: at 06:15, £187',
        '2. easyJet U2 8021: at 11:40, £94',
        '3. Ryanair FR 1142: at 19:05, £61',
        '',
        '[4] Cheapest  [5] Earliest',
        '',
        'Reply with a number to choose.',
      ].join('\n'),
    )
  })

  test('of data without a surface is numbered too', async () => {
    const { context } = await listening()
    expect(await said(context, 'data')).toContain('2. U2 8021: Airline: easyJet, Departs: 11:40, Price: £94')
  })

  test('that is too long has whole lines, and a link to the rest', async () => {
    const { context, process, received } = await listening()
    const text = await said(context, 'many')
    expect(segmentsOf(text).segments).toBeLessThanOrEqual(6)
    const lines = text.split('\n').filter((line) => /^\d+\. /.test(line))
    expect(lines.length).toBeGreaterThan(5)
    expect(lines.every((line) => line.endsWith('Price: £94'))).toBe(true)
    const link = /All of it: https:\/\/agent\.example(\S+)\nReply with a number to choose\.$/.exec(text)?.[1]
    expect(await (await fetch(process.url + link)).text()).toContain('30. U2 8029: ')
    await said(context, '30')
    expect(received.at(-1)?.text).toContain('U2 8029')
  })
})

test('a list is whole, whatever is said before it: the rest is behind the link', async () => {
  const { context } = await listening()
  const text = await said(context, 'told')
  expect(text).toMatch(/^Three direct flights\.\n\nLondon to Corfu\n\n1\. British[^]*3\. Ryanair[^]*All of it: https:/)
})

describe('a reply', () => {
  test.each(['2', 'the second', 'The second one, please.', 'book 2'])('%s chooses', async (words) => {
    const { context, received } = await listening()
    await said(context, 'flights')
    await said(context, words)
    const last = received.at(-1)
    expect(last?.text).toBe(`${words}\neasyJet U2 8021: at 11:40, £94`)
    const values = { flightNumber: second.flightNumber, passengers: 2 }
    expect(last?.parts).toMatchObject([
      { text: words, metadata: { partType: 'message' } },
      {
        metadata: { partType: 'choice' },
        data: {
          number: 2,
          title: 'easyJet U2 8021',
          actions: [{ name: 'add_flight', context: values }, { name: 'book_flight' }],
        },
      },
    ])
  })

  test('with the number of a button presses it', async () => {
    const { context, received } = await listening()
    await said(context, 'flights')
    await said(context, '5')
    expect(received.at(-1)?.parts).toMatchObject([
      {
        metadata: { partType: 'a2ui-action', label: 'Earliest' },
        data: { action: { name: 'sort', context: { by: 'time' } } },
      },
    ])
  })

  test('with a number answers a question that offers answers', async () => {
    const { context, received } = await listening()
    await said(context, 'from')
    await said(context, '2')
    expect(received.at(-1)?.text).toBe('Luton')
  })

  test('chooses from the newer of two lists', async () => {
    const { context, received } = await listening()
    await said(context, 'flights')
    await said(context, 'fewer')
    await said(context, '2')
    expect(received.at(-1)?.text).toContain('FR 1142')
  })

  test('still chooses after an answer without a list, and after a restart', async () => {
    const { context, received, process } = await listening()
    await said(context, 'flights')
    await said(context, 'thanks')
    await process.stop()
    await context.start(flightActor(received))
    await said(context, '2')
    expect(received.at(-1)?.text).toContain(second.flightNumber)
  })
})

describe('a number stays a number', () => {
  test('without a list', async () => {
    const { context, received } = await listening()
    await said(context, '2')
    expect(received.at(-1)).toMatchObject({ text: '2', parts: [{ text: '2' }] })
  })

  test('after a question that it answers', async () => {
    const { context, received } = await listening()
    await said(context, 'flights')
    await said(context, 'ask')
    await said(context, '2')
    expect(received.at(-1)?.text).toBe('2')
  })

  test('beyond the list', async () => {
    const { context, received } = await listening()
    await said(context, 'flights')
    await said(context, '6')
    expect(received.at(-1)?.text).toBe('6')
  })

  test('for another person, and in another conversation', async () => {
    const { context, received } = await listening()
    await said(context, 'flights')
    await said(context, '2', berta)
    expect(received.at(-1)?.text).toBe('2')
    await said(context, '/new')
    await said(context, '2')
    expect(received.at(-1)?.text).toBe('2')
  })
})

test('a button of a surface that was removed does nothing, and the person is told', async () => {
  const { context, received } = await listening()
  await said(context, 'flights')
  await said(context, 'gone')
  expect(await said(context, '5')).toBe(
    'This has changed since it was sent. Nothing was done. Please say what you would like.',
  )
  expect(received.length).toBe(2)
})
