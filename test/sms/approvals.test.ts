import type { ActorContext } from '@cool-ai/beach'
import { smsOriginator } from '@cool-ai/beach-phones'
import { describe, expect, test } from 'vitest'
import { booker, operator, until } from '../support/phone-context.ts'
import { anna, berta, codeIn, smsContext, type SmsContext } from './sms-context.ts'

/** Anna has asked for a booking, and has got the question with its code. */
async function asked(more: Parameters<SmsContext['start']>[1] = {}) {
  const context = await smsContext()
  const ran: string[] = []
  const process = await context.start(booker(ran), more)
  await context.twilio.write(anna, 'book it')
  await until(() => context.twilio.of(anna).length === 1)
  const code = () => codeIn(context.twilio.of(anna))
  const last = () => context.twilio.of(anna).at(-1)?.body ?? ''
  const wrong = () => (code() === '000000' ? '000001' : '000000')
  return { context, twilio: context.twilio, ran, process, code, last, wrong }
}

test('a request shows what is to be done, and how to decide it', async () => {
  const { last } = await asked()
  expect(last()).toMatch(
    /^Approval needed: Book\nFlight: BA 2043\nPrice: 187\nReply YES (\d{6}) or NO \1 within 60 minutes\.$/,
  )
})

describe('an approval is decided by a word and the code:', () => {
  test.each([
    ['yes with it', (code: string) => `YES ${code}`, 'booked: ok', 1],
    ['the code first', (code: string) => `${code.slice(0, 3)} ${code.slice(3)} yes`, 'booked: ok', 1],
    ['no with it', (code: string) => `no ${code}`, 'booked: denied', 0],
    ['no with a reason', (code: string) => `${code} no, too expensive`, 'booked: denied', 0],
  ])('%s', async (_, text, answer, times) => {
    const { twilio, code, last, ran } = await asked()
    await twilio.write(anna, text(code()))
    await until(() => last() === answer)
    expect(ran.length).toBe(times)
  })

  test('once: a second time it is said that it is decided', async () => {
    const { twilio, code, last, ran } = await asked()
    await twilio.write(anna, `yes ${code()}`)
    await until(() => last() === 'booked: ok')
    await twilio.write(anna, `no ${code()}`)
    await until(() => /^This has already been decided\. This was approved by SMS, .* UTC\.$/.test(last()))
    expect(ran.length).toBe(1)
  })

  test('or elsewhere, and the code says so', async () => {
    const { twilio, process, code, last, ran } = await asked()
    const { items } = await process.beach.sessions.list({}, operator)
    const { turn } = await process.beach.sessions.view(items[0]?.sessionId ?? '', operator)
    await process.beach.sessions.decide(turn?.pendingApprovals[0] ?? '', { decision: 'denied' }, operator)
    await until(() => last() === 'booked: denied')
    await twilio.write(anna, `yes ${code()}`)
    await until(() => /^This has already been decided\. This was denied, .* UTC\.$/.test(last()))
    expect(ran).toEqual([])
  })
})

describe('an approval is not decided', () => {
  test('by a yes without the code, whatever the sender', async () => {
    const { twilio, last, ran } = await asked()
    await twilio.write(anna, 'yes')
    await until(() => last().startsWith('To decide, reply YES or NO together with the six digits'))
    expect(ran).toEqual([])
  })

  test('by the right code of another person', async () => {
    const { twilio, code, ran } = await asked()
    await twilio.write(berta, `yes ${code()}`)
    await until(() => twilio.of(berta).length === 1)
    expect(twilio.of(berta)[0]?.body).toContain('Approval needed')
    expect(codeIn(twilio.of(berta))).not.toBe(code())
    expect(ran).toEqual([])
  })

  test('by guessing: after five wrong codes the right one is of no use', async () => {
    const { twilio, code, last, wrong, ran, process } = await asked()
    for (let guess = 1; guess <= 5; guess++) {
      await twilio.write(anna, `yes ${wrong()}`)
      await until(() => twilio.of(anna).length === guess + 1)
      expect(last()).toBe('This code is wrong. Nothing was done.')
    }
    await twilio.write(anna, `yes ${code()}`)
    await until(() => last().startsWith('Too many wrong codes'))
    expect(ran).toEqual([])
    await process.stop()
  })

  test('by guessing many at once either: five are all there are', async () => {
    const { twilio, code, last, ran, context } = await asked()
    const right = code()
    const guesses = Array.from({ length: 20 }, (_, n) => String(n).padStart(6, '0')).filter((guess) => guess !== right)
    await Promise.all(guesses.map((guess) => twilio.write(anna, `yes ${guess}`)))
    await until(async () => (await context.store.list('inbox')).length === 0)
    expect(twilio.of(anna).filter(({ body }) => body.startsWith('This code is wrong')).length).toBe(5)
    await twilio.write(anna, `yes ${right}`)
    await until(async () => (await context.store.list('inbox')).length === 0)
    expect(last()).toMatch(/^Too many wrong codes/)
    expect(ran).toEqual([])
  })

  test.each([
    ['that has expired', 61],
    ['of a clock that has been set back since', -3 * 60],
  ])('by a code %s: there is a new one, and only that is good', async (_, minutes) => {
    const { twilio, code, last, ran, context } = await asked()
    const old = code()
    context.clock.aheadMs += minutes * 60 * 1_000
    await twilio.write(anna, `yes ${old}`)
    await until(() => last().startsWith('That code has expired'))
    expect(code()).not.toBe(old)
    await twilio.write(anna, `yes ${old}`)
    await until(() => last() === 'This code is wrong. Nothing was done.')
    expect(ran).toEqual([])
    await twilio.write(anna, `yes ${code()}`)
    await until(() => last() === 'booked: ok')
  })

  test.each([
    ['full-width letters', 'ｙｅｓ'],
    ['a long s', 'ye\u017f'],
    ['a byte order mark', '\ufeffyes'],
    ['a wide space', '\u3000yes'],
  ])('by a yes with %s', async (_, word) => {
    const { twilio, code, last, ran } = await asked()
    await twilio.write(anna, `${word} ${code()}`)
    await until(() => last().startsWith('I could not tell whether that is a yes or a no'))
    expect(ran).toEqual([])
  })

  test('by a code in full-width digits', async () => {
    const { twilio, code, last, ran } = await asked()
    const wide = code().replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff_10 + Number(digit)))
    await twilio.write(anna, `yes ${wide}`)
    await twilio.write(anna, 'yes')
    await until(() => last().startsWith('To decide, reply YES or NO together with the six digits'))
    expect(ran).toEqual([])
  })

  test('by a captured form whose text was cut short: the rest of it is now a field', async () => {
    const { twilio, code, last, ran } = await asked()
    const captured = twilio.fields(anna, `yes ${code()} Could you look for a cheaper one first`)
    const signature = twilio.signature(`${twilio.publicUrl}/channels/sms`, captured)
    const cut = { ...captured, Body: `yes ${code()} `, Could: ' you look for a cheaper one first' }
    expect(twilio.signature(`${twilio.publicUrl}/channels/sms`, cut), 'signed alike').toBe(signature)
    expect((await twilio.deliver(cut, { signature })).status).toBe(400)
    expect((await twilio.deliver(captured, { signature })).status).toBe(200)
    await until(() => last().startsWith('I could not tell whether that is a yes or a no'))
    expect(ran).toEqual([])
  })

  test.each(['FromA', 'FromCity', 'MediaType'])('by a captured form that names another sender: %s', async (name) => {
    const { twilio, code, ran } = await asked()
    const captured = twilio.fields(berta, `yes ${code()} From${anna}${name}`)
    const signature = twilio.signature(`${twilio.publicUrl}/channels/sms`, captured)
    const cut = { ...captured, Body: `yes ${code()} `, From: anna, [name]: `From${berta}` }
    expect(twilio.signature(`${twilio.publicUrl}/channels/sms`, cut), 'signed alike').toBe(signature)
    expect((await twilio.deliver(cut, { signature })).status).toBe(400)
    expect(ran).toEqual([])
  })

  test.each([
    ['the name of the true sender’s field', 'FromB', berta, { FromBFrom: berta }],
    ['the name of another field', 'Media', berta, { MediaFrom: berta }],
    ['a name with the true sender in it', '', '12345', { From12345: '' }],
  ])('by a captured form that names another sender, with %s', async (_, rest, sender, more) => {
    const { twilio, code, ran } = await asked()
    const captured = twilio.fields(sender, `yes ${code()} From${anna}${rest}`)
    const signature = twilio.signature(`${twilio.publicUrl}/channels/sms`, captured)
    const cut = { ...captured, Body: `yes ${code()} `, From: anna, ...more }
    expect(twilio.signature(`${twilio.publicUrl}/channels/sms`, cut), 'signed alike').toBe(signature)
    expect((await twilio.deliver(cut, { signature })).status).toBe(400)
    expect(ran).toEqual([])
  })

  test('by a captured form that begins its text later', async () => {
    const { twilio, code, ran } = await asked()
    const captured = twilio.fields(anna, `no Body yes ${code()}`)
    const signature = twilio.signature(`${twilio.publicUrl}/channels/sms`, captured)
    const cut = { ...captured, ApiVersion: `${captured.ApiVersion}Bodyno `, Body: ` yes ${code()}` }
    expect(twilio.signature(`${twilio.publicUrl}/channels/sms`, cut), 'signed alike').toBe(signature)
    expect((await twilio.deliver(cut, { signature })).status).toBe(400)
    expect(ran).toEqual([])
  })

  test('by what is neither yes nor no', async () => {
    const { twilio, code, last, ran } = await asked()
    await twilio.write(anna, `yes, but only if it is cheap ${code()}`)
    await until(() => last().startsWith('I could not tell whether that is a yes or a no'))
    expect(ran).toEqual([])
  })

  test('by digits in a sentence, which are a message; that it waits is said once', async () => {
    const { twilio, wrong, code } = await asked()
    await twilio.write(anna, `my order was ${wrong()} last year`)
    await twilio.write(anna, 'and it was a good one')
    await twilio.write(anna, `no ${code()}`)
    await until(() => twilio.of(anna).length === 4)
    expect(twilio.of(anna).map(({ body }) => body.split('\n')[0])).toEqual([
      'Approval needed: Book',
      expect.stringMatching(/^Your message waits until the request is decided\. To decide, reply YES or NO/),
      'booked: denied',
      'Approval needed: Book',
    ])
  })

  test.each([
    ['what only admins decide', {}, { approvalLevel: 'admin' as const }],
    ['what the agent does not let be decided here', { mayDecide: () => false }, {}],
  ])('by SMS at all, where it is %s', async (_, more, level) => {
    const context = await smsContext()
    await context.start(async ({ tool }: ActorContext) => {
      await tool({ name: 'wipe', args: { disk: 'c' }, requiresApproval: true, ...level }, async () => {})
    }, more)
    await context.twilio.write(anna, 'wipe it')
    await until(() => context.twilio.of(anna).length === 1)
    expect(context.twilio.of(anna)[0]?.body).toContain('This cannot be decided by SMS.')
    expect(context.twilio.of(anna)[0]?.body).not.toMatch(/\d{6}/)
  })
})

test('an approver who is asked by many gets a few requests, then one message about all, and the next on demand', async () => {
  const context = await smsContext()
  const { twilio, clock } = context
  const ran: string[] = []
  const limits = { asksPerWindow: 2 }
  const first = await context.start(booker(ran), { limits })
  const desk = { kind: 'operator', id: 'desk', tenant: 'default' } as const
  for (let n = 0; n < 4; n++) {
    const visitor = { kind: 'anonymous', id: `v${n}`, tenant: 'default' } as const
    const session = await first.beach.sessions.open({ principal: visitor })
    await first.beach.sessions.join(session, smsOriginator({ phone: anna, principal: desk }), desk)
    const from = { id: `page${n}`, transport: 'sse', deliveryClass: 'streaming', principal: visitor } as const
    const parts = [{ text: 'Book', metadata: { partType: 'message' } }]
    await first.beach.sessions.post(session, { parts, from }, visitor)
    await until(async () => (await context.store.list('asks:sms:default:of:', undefined, 10)).length === n + 1)
  }
  await until(() => twilio.of(anna).length === 2)
  await first.stop()
  clock.aheadMs += 11 * 60_000
  await context.start(booker(ran), { limits })
  await until(() => twilio.of(anna).length === 3)
  expect(twilio.of(anna)[2]?.body).toContain('4 requests wait for your decision')
  await twilio.write(anna, 'Next')
  await until(() => twilio.of(anna).length === 4)
  await twilio.write(anna, `YES ${codeIn(twilio.of(anna))}`)
  await until(() => ran.length === 1)
})

test('a reminder has a code of its own: that of the request is over', async () => {
  const context = await smsContext()
  const ran: string[] = []
  const approvalFollowUps = [{ afterMs: 3_600_000 }]
  const first = await context.start(booker(ran), {}, { approvals: { followUps: approvalFollowUps } })
  const { twilio } = context
  const last = () => twilio.of(anna).at(-1)?.body ?? ''
  await twilio.write(anna, 'book it')
  await until(() => twilio.of(anna).length === 1)
  const old = codeIn(twilio.of(anna))
  await first.stop()
  context.clock.aheadMs = 3_700_000
  await context.start(booker(ran), {}, { approvals: { followUps: approvalFollowUps } })
  await until(() => twilio.of(anna).length === 2)
  expect(last()).toMatch(/^Reminder: this has waited for a decision since .* UTC\.\nApproval needed: Book\n/)
  const code = codeIn(twilio.of(anna))
  expect(code).not.toBe(old)
  await twilio.write(anna, `yes ${old}`)
  await until(() => twilio.of(anna).length === 3)
  expect(ran).toEqual([])
  await twilio.write(anna, `yes ${code}`)
  await until(() => last() === 'booked: ok')
})

test('a question about a request is answered, and the request can be decided after it', async () => {
  const { twilio, code, last, ran } = await asked()
  const first = code()
  await twilio.write(anna, 'Is it refundable?')
  await until(() => last() === 'Is it refundable? It is about BA 2043.')
  await twilio.write(anna, `${first} And at what time?`)
  await until(() => last() === 'And at what time? It is about BA 2043.')
  expect(ran).toEqual([])
  await twilio.write(anna, `yes ${first}`)
  await until(() => last() === 'booked: ok')
})
