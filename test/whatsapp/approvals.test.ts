import type { ActorContext } from '@cool-ai/beach'
import { BeachError, type Principal } from '@cool-ai/beach-core'
import { whatsAppOriginator } from '@cool-ai/beach-phones'
import { describe, expect, test } from 'vitest'
import { booker, LastingStore, operator, until } from '../support/phone-context.ts'
import type { WhatsAppReceived } from '@cool-ai/beach-testing/whatsapp'
import { anna, berta, whatsAppContext, type WhatsAppContext } from './whatsapp-context.ts'

/** Anna has asked for a booking, and has got the question. */
async function asked(more: Parameters<WhatsAppContext['start']>[1] = {}) {
  const setup = await whatsAppContext()
  const ran: string[] = []
  const process = await setup.start(booker(ran), more)
  await setup.standIn.text(anna, 'book it')
  await until(() => setup.standIn.of(anna).length === 1)
  const [question] = setup.standIn.of(anna)
  if (question === undefined) throw new Error('No question has come.')
  const last = () => setup.standIn.of(anna).at(-1)?.text
  return { setup, standIn: setup.standIn, ran, process, question, last }
}

test('a request shows what is to be done, with two buttons that name the approval', async () => {
  const { question } = await asked()
  expect(question.type).toBe('interactive')
  expect(question.text).toContain('Approval needed: Book\nFlight: BA 2043\nPrice: 187')
  const ids = question.content.interactive?.action.buttons?.map(({ reply }) => reply.id)
  expect(ids).toEqual([
    expect.stringMatching(/^approve:approval_[\w-]+$/),
    expect.stringMatching(/^deny:approval_[\w-]+$/),
  ])
})

describe('an approval is decided', () => {
  test.each([
    ['Approve', 'booked: ok', 1],
    ['Deny', 'booked: denied', 0],
  ])('by the button %s', async (title, answer, times) => {
    const { standIn, question, ran, last } = await asked()
    await standIn.tap(anna, question, title)
    await until(() => last() === answer)
    expect(ran.length).toBe(times)
  })

  test.each([
    ['Yes!', 'booked: ok', 1],
    ['no, too expensive', 'booked: denied', 0],
  ])('by %j, typed as a reply to the question', async (text, answer, times) => {
    const { standIn, question, ran, last } = await asked()
    await standIn.text(anna, text, { replyTo: question.id })
    await until(() => last() === answer)
    expect(ran.length).toBe(times)
  })

  test('once: a second tap, or the other button, gets the reply that it is decided', async () => {
    const { standIn, question, ran } = await asked()
    await standIn.tap(anna, question, 'Approve', 'wamid.tap1')
    await until(() => standIn.of(anna).length === 2)
    await standIn.tap(anna, question, 'Approve', 'wamid.tap1')
    await standIn.tap(anna, question, 'Approve', 'wamid.tap2')
    await until(() => standIn.of(anna).length === 3)
    await standIn.tap(anna, question, 'Deny', 'wamid.tap3')
    await until(() => standIn.of(anna).length === 4)
    const notice = expect.stringMatching(/^This has already been decided\. This was approved on WhatsApp, .* UTC\.$/)
    expect(
      standIn
        .of(anna)
        .slice(2)
        .map(({ text, replyTo }) => [text, replyTo]),
    ).toEqual([
      [notice, question.id],
      [notice, question.id],
    ])
    expect(ran.length).toBe(1)
  })

  test('once: after a deny, nothing that is tapped or typed grants it', async () => {
    const { standIn, question, ran, last } = await asked()
    await standIn.tap(anna, question, 'Deny')
    await until(() => last() === 'booked: denied')
    await standIn.tap(anna, question, 'Approve')
    await until(() => standIn.of(anna).length === 3)
    await standIn.text(anna, 'yes', { replyTo: question.id })
    await until(() => standIn.of(anna).length === 4)
    const notice = expect.stringMatching(/^This has already been decided\. This was denied on WhatsApp, .* UTC\.$/)
    expect(standIn.of(anna).slice(2)).toMatchObject([{ text: notice }, { text: notice }])
    expect(ran).toEqual([])
  })

  test('elsewhere, and the buttons say so', async () => {
    const { standIn, question, ran, process, last } = await asked()
    const approvalId = question.content.interactive?.action.buttons?.[0]?.reply.id.slice('approve:'.length) ?? ''
    expect(await process.beach.sessions.decide(approvalId, { decision: 'denied' }, operator)).toBe('decided')
    await until(() => last() === 'booked: denied')
    await standIn.tap(anna, question, 'Approve')
    await until(() => /^This has already been decided\. This was denied, .* UTC\.$/.test(last() ?? ''))
    expect(ran).toEqual([])
  })
})

test('a tap that is taken up again by the next process is not told that it came too late', async () => {
  const { setup, standIn, question, process, last } = await asked()
  const isDone = (event: unknown) => (event as { type?: string }).type === 'done'
  setup.store.append = async (name, expected, events, wakeAt) => {
    if (events.some(isDone)) throw new BeachError('STORE_UNAVAILABLE', 'The disk is full.')
    return LastingStore.prototype.append.call(setup.store, name, expected, events, wakeAt)
  }
  await standIn.tap(anna, question, 'Approve')
  await until(() => last() === 'booked: ok')
  await process.stop()
  Reflect.deleteProperty(setup.store, 'append')
  await setup.start(booker([]))
  await until(async () => (await setup.store.list('inbox')).length === 0)
  expect(last()).toBe('booked: ok')
})

describe('an approval is not decided', () => {
  const tapping = (question: WhatsAppReceived, contextId: string) => {
    const reply = question.content.interactive?.action.buttons?.[0]?.reply
    return {
      type: 'interactive',
      context: { id: contextId },
      interactive: { type: 'button_reply', button_reply: reply },
    }
  }

  test('by typing what the button stands for, also as a reply to the question', async () => {
    const { standIn, question, ran, last } = await asked()
    const payload = question.content.interactive?.action.buttons?.[0]?.reply.id ?? ''
    await standIn.text(anna, payload)
    await until(() => last()?.startsWith('To decide, tap a button') === true)
    await standIn.text(anna, payload, { replyTo: question.id })
    await until(() => last()?.startsWith('I could not tell whether that is a yes or a no') === true)
    expect(ran).toEqual([])
  })

  test('by a yes that replies to nothing', async () => {
    const { standIn, ran, last } = await asked()
    await standIn.text(anna, 'yes')
    await until(() => last()?.startsWith('To decide, tap a button') === true)
    expect(ran).toEqual([])
  })

  test('by its button with another message as its context', async () => {
    const { standIn, question, ran, last } = await asked()
    await standIn.write(anna, tapping(question, 'wamid.another'))
    await until(() => last()?.includes('does not belong to a question') === true)
    expect(ran).toEqual([])
  })

  test('by its button as a reply to another message that she has got', async () => {
    const { standIn, question, ran, last } = await asked()
    await standIn.text(anna, 'yes')
    await until(() => standIn.of(anna).length === 2)
    await standIn.write(anna, tapping(question, standIn.of(anna)[1]?.id ?? ''))
    await until(() => last()?.includes('does not belong to a question') === true)
    expect(ran).toEqual([])
  })

  test('by another person, by tapping or by typing', async () => {
    const { standIn, question, ran } = await asked()
    await standIn.write(berta, tapping(question, question.id))
    await until(() => standIn.of(berta).some(({ text }) => text.includes('does not belong to a question')))
    await standIn.text(berta, 'yes', { replyTo: question.id })
    await until(() => standIn.of(berta).length >= 2)
    expect(ran).toEqual([])
  })

  test.each([
    ['full-width letters', 'ｙｅｓ'],
    ['a long s', 'ye\u017f'],
    ['a byte order mark', '\ufeffyes'],
    ['a Kelvin sign', 'o\u212a'],
  ])('by a yes with %s', async (_, word) => {
    const { standIn, question, ran } = await asked()
    await standIn.text(anna, word, { replyTo: question.id })
    await until(() => standIn.of(anna).length === 2)
    expect(standIn.of(anna).at(-1)?.text).toContain('I could not tell whether that is a yes or a no')
    expect(ran).toEqual([])
  })

  test('by what is neither yes nor no: it is asked again, twice at most', async () => {
    const { standIn, question, ran, setup } = await asked()
    for (const count of [2, 3]) {
      await standIn.text(anna, 'yes, but only if it is cheap', { replyTo: question.id })
      await until(() => standIn.of(anna).length === count)
      expect(standIn.of(anna).at(-1)?.text).toContain('I could not tell whether that is a yes or a no')
    }
    await standIn.text(anna, 'maybe', { replyTo: question.id })
    await standIn.tap(anna, question, 'Deny')
    // What was not clear a third time is a message, which has its own turn now, and asks anew.
    await until(() => standIn.of(anna).length === 6)
    const [waits, denied, again] = standIn.of(anna).slice(3)
    expect(waits?.text).toMatch(/^Your message waits until the request is decided\. To decide, tap a button/)
    expect([denied?.text, again?.type]).toEqual(['booked: denied', 'interactive'])
    expect(ran).toEqual([])
    expect((await setup.store.list('inbox')).length).toBe(0)
  })
})

test('arguments that are too long for a question come before it, whole', async () => {
  const setup = await whatsAppContext()
  const note = Array.from({ length: 240 }, (_, n) => `word${n}`).join(' ')
  await setup.start(async ({ tool }: ActorContext) => {
    await tool({ name: 'write', args: { note, more: note }, requiresApproval: true }, async () => {})
  })
  await setup.standIn.text(anna, 'write it')
  await until(() => setup.standIn.of(anna).some(({ type }) => type === 'interactive'))
  const all = setup.standIn.of(anna).map(({ text }) => text)
  expect(all.join(' ')).toContain('word0 ')
  expect(all.join(' ').match(/word239/g)?.length).toBe(2)
  expect(all.at(-1)).toContain('Approval needed: Write (see above)')
})

describe('an approver who was joined by their number', () => {
  const owner: Principal = { kind: 'user', id: 'olga', tenant: 'default' }
  const boss: Principal = { kind: 'user', id: 'boss', tenant: 'default' }

  async function joined(more: Parameters<WhatsAppContext['start']>[1], lastWrote: boolean) {
    const setup = await whatsAppContext()
    setup.standIn.templates.set('decide:en', 2)
    setup.standIn.templates.set('notice:en', 0)
    const ran: string[] = []
    const process = await setup.start(booker(ran), more)
    const { sessions } = process.beach
    if (lastWrote) {
      await setup.standIn.write({ phone: anna.phone }, { type: 'reaction' })
    }
    const session = await sessions.open({ principal: owner, approvers: [{ kind: 'user', id: 'boss' }] })
    await sessions.join(session, whatsAppOriginator({ phone: `+${anna.phone}`, principal: boss }), owner)
    const from = { id: 'sse:olga', transport: 'sse', deliveryClass: 'streaming', principal: owner } as const
    await sessions.post(session, { parts: [{ text: 'book', metadata: { partType: 'message' } }], from }, owner)
    return { setup, ran, sessions, session }
  }
  const templates = { approval: { name: 'decide', language: 'en' }, notice: { name: 'notice', language: 'en' } }

  test('gets a template while the window is closed, and decides by its buttons as whom they were joined', async () => {
    const { setup, ran } = await joined({ templates }, false)
    await until(() => setup.standIn.of(anna).length === 1)
    const [question] = setup.standIn.of(anna)
    expect(question?.type).toBe('template')
    expect(question?.text).toContain('Approval needed: Book · Flight: BA 2043 · Price: 187')
    if (question !== undefined) await setup.standIn.tap(anna, question, 'Approve')
    await until(() => ran.length === 1)
    await until(() => setup.standIn.of(anna).at(-1)?.text === 'booked: ok')
  })

  test('gets the notice template where that is the only one, and decides by replying to it', async () => {
    const { setup, ran } = await joined({ templates: { notice: templates.notice } }, false)
    await until(() => setup.standIn.of(anna).length === 1)
    const [question] = setup.standIn.of(anna)
    expect(question?.text).toContain('Reply to this message with yes or no.')
    await setup.standIn.text(anna, 'yes', { replyTo: question?.id ?? '' })
    await until(() => ran.length === 1)
  })

  test('is not lost silently without a template: it is a dead letter that says why, and can be sent again', async () => {
    const { setup, sessions, session } = await joined({}, false)
    await until(async () => (await sessions.deadLetters({}, operator)).items.length === 1)
    const events = (await setup.store.read(session, 0)).map(({ data }) => JSON.stringify(data))
    expect(events.some((event) => event.includes('24-hour window of WhatsApp is closed'))).toBe(true)
    expect(setup.standIn.attempts).toEqual([])
  })
})

test('a question right after a request is about it without being a reply, as is the next one; a later one is not', async () => {
  const { standIn, question, ran, last } = await asked()
  for (const text of ['Is it refundable?', 'And at what time?']) {
    await standIn.text(anna, text)
    await until(() => last() === `${text} It is about BA 2043.`)
  }
  expect(ran).toEqual([])
  await standIn.tap(anna, question, 'Approve')
  await until(() => last() === 'booked: ok')
  await standIn.text(anna, 'What is next?')
  await until(() => last() === 'What is next? It is about nothing.')
})

test('a question in reply to a request is answered, and the buttons still decide', async () => {
  const { standIn, question, ran, last } = await asked()
  await standIn.text(anna, 'Is it refundable?', { replyTo: question.id })
  await until(() => last() === 'Is it refundable? It is about BA 2043.')
  expect(ran).toEqual([])
  await standIn.tap(anna, question, 'Approve')
  await until(() => last() === 'booked: ok')
})
