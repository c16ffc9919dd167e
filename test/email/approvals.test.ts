import { silentLogger, systemClock, systemRuntime, type Principal } from '@cool-ai/beach-core'
import { emailOriginator } from '@cool-ai/beach-email'
import type { ActorContext } from '@cool-ai/beach-session'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { agent, emailTestContext, tenant, until, type EmailProcess, type EmailTestContext } from './email-context.ts'
import { Person, type Sending } from './person.ts'
import { answerTo, type Delivered } from '@cool-ai/beach-testing/mail'

let context: EmailTestContext
let alice: Person
let ran: string[]

beforeEach(async () => {
  context = await emailTestContext()
  for (const domain of ['corp.example', 'evil.example', 'people.example']) context.domains.add(domain)
  alice = new Person(context, 'alice@people.example')
  ran = []
})
afterEach(() => context.close())

/** Books a flight after an approval. */
function booker(price = 187, expiresAt?: number) {
  return async ({ respond, tool }: ActorContext) => {
    const call = { name: 'book', args: { flight: 'BA 2043', price }, requiresApproval: true }
    const outcome = await tool(
      { ...call, ...(expiresAt !== undefined && { approvalExpiresAt: expiresAt }) },
      async () => {
        ran.push(`for ${price}`)
        return 'ok'
      },
    )
    const text = outcome.outcome === 'ok' ? 'It is booked.' : `Not booked: ${outcome.reason}`
    await respond({ parts: [{ partType: 'response', text }], turnState: 'complete' })
  }
}

/** Alice writes, and is asked. */
async function asked(process: EmailProcess): Promise<Delivered> {
  await alice.write(process, { subject: 'Corfu', text: 'Book it.' })
  await until(() => alice.inbox().length === 1)
  const [request] = alice.inbox()
  if (request === undefined) throw new Error('There is no request.')
  return request
}

const outcomes = () =>
  context.log.flatMap(({ message, fields }) =>
    message === 'an approval was answered by mail' ? [(fields as { outcome: string }).outcome] : [],
  )

/** The label that names the approval in the last line of a request. */
function labelOf({ email }: Delivered): string {
  return /^\[approval:[^\]\s]+\]/m.exec(email.text ?? '')?.[0] ?? ''
}

describe('a request that no approver decides', () => {
  test('comes again as a reminder, whose answer decides as that of the first does', async () => {
    const process = await context.start(booker(), {}, { approvalFollowUps: [{ afterMs: 1 }] })
    await alice.write(process, { subject: 'Corfu', text: 'Book it.' })
    await until(() => alice.inbox().length === 2)
    const [first, second] = alice.inbox().map(({ email }) => email)
    expect([first?.subject, second?.subject]).toEqual(['Approve: Book?', 'Reminder: approve: Book?'])
    expect(first?.text).not.toContain('Reminder')
    expect(second?.text).toMatch(/^Reminder: this has waited for a decision since .* UTC\.\nApproval needed: Book/)
    const [request, reminder] = alice.inbox()
    if (request === undefined || reminder === undefined) throw new Error('There is no reminder.')
    await alice.answer(process, reminder, 'yes')
    await until(() => alice.got().includes('It is booked.'))
    await alice.answer(process, request, 'no')
    await until(() => outcomes().length === 2)
    expect([ran, outcomes()]).toEqual([['for 187'], ['decided', 'already']])
  })

  test('is asked of another approver by mail, who decides it and gets nothing else', async () => {
    const boss = new Person(context, 'boss@people.example')
    const principal: Principal = { kind: 'user', id: 'boss', tenant }
    const to = emailOriginator({ address: boss.address, principal })
    const process = await context.start(booker(), {}, { approvalFollowUps: [{ afterMs: 1, to }] })
    await asked(process)
    await until(() => boss.inbox().length === 1)
    const [request] = boss.inbox()
    if (request === undefined) throw new Error('The boss was not asked.')
    expect(request.email.subject).toBe('Approve: Book?')
    expect(request.email.text).toMatch(/^You are asked because this has waited for a decision since/)
    await boss.answer(process, request, 'yes')
    await until(() => alice.got().includes('It is booked.'))
    expect([ran, boss.inbox().length]).toEqual([['for 187'], 1])
  })
})

/** Books after an approval, and answers questions with what is known of the request. */
function explainer() {
  const book = booker()
  return async (turn: ActorContext) => {
    if (!turn.text.includes('?')) return book(turn)
    const parts = turn.messages.flatMap((message) => message.parts)
    const request = parts.find(({ metadata }) => JSON.stringify(metadata.origin) === '{"others":"request"}')
    const about = /Flight: (.*)/.exec(request?.text ?? '')?.[1] ?? 'nothing more'
    await turn.respond({ parts: [{ partType: 'response', text: `It is about ${about}.` }], turnState: 'complete' })
  }
}

describe('a question in reply to a request', () => {
  const publicUrl = 'https://agent.example'

  test.each(['request', 'answer', 'second'] as const)('is answered; a yes to the %s decides', async (which) => {
    const process = await context.start(explainer(), { publicUrl })
    const request = await asked(process)
    await alice.answer(process, request, 'Is that refundable?')
    await until(() => alice.inbox().length === 2)
    const [, answer] = alice.inbox()
    if (answer === undefined) throw new Error('There is no answer.')
    expect(answer.email.subject).toBe('Re: Approve: Book?')
    expect(answer.email.text).toMatch(
      /^It is about BA 2043\.\n\nYour decision is still needed: Book\? Reply with just "yes" or "no", or ask again\.\n\nOr decide here: https:\/\/agent\.example\/approvals\/by-mail\/[a-z2-9]{42}/,
    )
    expect([ran, outcomes()]).toEqual([[], ['question']])
    await alice.answer(process, answer, 'And when does it leave?')
    await until(() => alice.inbox().length === 3)
    expect(alice.inbox()[2]?.email.text).toContain('It is about BA 2043.')
    expect(ran).toEqual([])
    // Each of these mails can be answered with the decision.
    const decided = { request, answer, second: alice.inbox()[2] }[which]
    if (decided === undefined) throw new Error('There is no second answer.')
    await alice.answer(process, decided, 'yes')
    await until(() => alice.got().includes('It is booked.'))
    expect([ran, outcomes()]).toEqual([['for 187'], ['question', 'question', 'decided']])
  })

  test('of another sender, or one that is not proven, is not answered', async () => {
    const process = await context.start(explainer(), { publicUrl })
    const request = await asked(process)
    const mallory = new Person(context, 'mallory@evil.example')
    await expect(mallory.answer(process, request, 'Is that refundable?')).rejects.toThrow('not-the-approver')
    expect([outcomes(), mallory.inbox()]).toEqual([['not-the-approver'], []])
  })

  test('that comes after the decision is told what was decided', async () => {
    const process = await context.start(explainer())
    const request = await asked(process)
    await alice.answer(process, request, 'no')
    await until(() => alice.got().includes('Not booked'))
    await alice.answer(process, request, 'Is that refundable?')
    await until(() => /Your answer changes nothing\. This was denied by mail, .* UTC\./.test(alice.got()))
  })
})

describe('a request for an approval', () => {
  test('says in its subject what would be done, names itself in a line at its end, and has an address of its own', async () => {
    const request = await asked(await context.start(booker()))
    const { subject, text, html, replyTo } = request.email
    expect(subject).toBe('Approve: Book?')
    expect(text).toContain('Flight: BA 2043')
    expect(text).toContain('Price: 187')
    expect(text?.trim().split('\n').at(-1)).toMatch(/^\[approval:[^\]\s]+\] [a-z2-9]{42}$/)
    expect(html).toMatch(
      /font-weight:600">Approval needed: Book<\/p><p [^>]*><span [^>]*>Flight<\/span><br>BA 2043<\/p>/,
    )
    expect(replyTo?.[0]?.address).toMatch(/^agent\+a\.[a-z2-9]{42}@corp\.example$/)
    expect(ran).toEqual([])
  })

  test('is granted by a yes, and the answer comes', async () => {
    const process = await context.start(booker())
    await alice.answer(process, await asked(process), 'Approve')
    await until(() => alice.got().includes('It is booked.'))
    expect(ran).toEqual(['for 187'])
  })

  test('keeps other mails of the conversation waiting, which is said once', async () => {
    const process = await context.start(booker())
    const request = await asked(process)
    const inReplyTo = '<alice.1@mail.example>'
    for (const text of ['And a hotel?', 'Or two?'])
      await alice.write(process, { subject: 'Re: Corfu', text, inReplyTo })
    await until(() => alice.inbox().length === 2)
    expect(alice.inbox()[1]?.email.text).toMatch(/^Your message waits until the request is decided\. Answer the mail/)
    await alice.answer(process, request, 'no')
    await until(() => alice.got().includes('Not booked'))
    expect(alice.got().match(/Your message waits/g)).toHaveLength(1)
  })

  test('is denied with a reason', async () => {
    const process = await context.start(booker())
    await alice.answer(process, await asked(process), 'denied, too expensive')
    await until(() => alice.got().includes('Not booked: too expensive'))
    expect(ran).toEqual([])
  })

  test('can be answered in a new mail, by its line', async () => {
    const process = await context.start(booker())
    const { email } = await asked(process)
    const line = /^\[approval:.*$/m.exec(email.text ?? '')?.[0]
    await alice.write(process, { text: `${line}\r\nyes` })
    await until(() => alice.got().includes('It is booked.'))
  })

  test.each([
    ['its subject token', (label: string) => ({ subject: `Re: ${label} Approval needed: book`, text: 'yes' })],
    ['a line of the body', (label: string) => ({ subject: 'Corfu', text: `yes\r\n\r\n${label}` })],
  ])('document 000, Approvals: is answered by %s alone, from the address that was asked', async (_, mailOf) => {
    const process = await context.start(booker())
    await alice.write(process, mailOf(labelOf(await asked(process))))
    await until(() => alice.got().includes('It is booked.'))
    expect(outcomes()).toEqual(['decided'])
  })

  test('is answered to the plain address too, as long as its text is quoted', async () => {
    const process = await context.start(booker())
    await alice.answer(process, await asked(process), 'yes', { to: agent })
    await until(() => alice.got().includes('It is booked.'))
  })

  test('goes to a person who has joined a conversation of another channel', async () => {
    const process = await context.start(booker())
    const owner: Principal = { kind: 'user', id: 'web-alice', tenant }
    const session = await process.sessions.open({ principal: owner })
    await process.sessions.join(session, emailOriginator({ address: alice.address, principal: owner }), owner)
    const from = { id: 'sse:alice', transport: 'sse', deliveryClass: 'streaming', principal: owner } as const
    await process.sessions.post(session, { parts: [{ text: 'book', metadata: { partType: 'message' } }], from }, owner)
    await until(() => alice.inbox().length === 1)
    const [request] = alice.inbox()
    if (request === undefined) throw new Error('There is no request.')
    await alice.answer(process, request, 'yes')
    await until(() => alice.got().includes('It is booked.'))
    // Her next mail goes on with that conversation, as the principal that she is there.
    const last = alice.inbox().at(-1)
    if (last === undefined) throw new Error('There is no answer.')
    await alice.answer(process, last, 'And the hotel?')
    await until(() => alice.inbox().length === 3)
    expect((await process.sessions.list({}, { kind: 'operator', id: 'o', tenant })).items).toHaveLength(1)
  })
})

describe('an answer that does not count', () => {
  /** Tries something; nothing is decided, and it is on record why. */
  async function attempt(
    outcome: string,
    attack: (process: EmailProcess, request: Delivered) => Promise<unknown>,
  ): Promise<EmailProcess> {
    const process = await context.start(booker())
    const request = await asked(process)
    await Promise.allSettled([attack(process, request)])
    await until(() => outcomes().length > 0)
    expect(outcomes()).toEqual([outcome])
    expect(ran).toEqual([])
    const operator: Principal = { kind: 'operator', id: 'o', tenant }
    const [session] = (await process.sessions.list({}, operator)).items
    expect((await process.sessions.view(session?.sessionId ?? '', operator)).turn?.turnState).toBe('suspended')
    return process
  }
  const as = (address: string) => new Person(context, address)

  test('not signed, of a domain that signs its mail', async () => {
    await attempt('unauthenticated', (process, request) => alice.answer(process, request, 'yes', { signedBy: false }))
  })

  test('signed by another domain than that of its sender', async () => {
    await attempt('unauthenticated', (process, request) =>
      alice.answer(process, request, 'yes', { signedBy: 'evil.example', envelopeFrom: 'x@evil.example' }),
    )
  })

  test('signed, and changed afterwards', async () => {
    await attempt('unauthenticated', async (process, request) => {
      const raw = await alice.raw(answerTo(request, 'no'))
      const to = request.email.replyTo?.[0]?.address ?? ''
      await alice.post(process.channel.smtpPort() ?? 0, raw.replace('\r\n\r\nno', '\r\n\r\nyes'), { to })
    })
  })

  test.each([
    ['display name', '"alice@people.example" <eve@evil.example>', 'not-the-approver'],
    ['comment', 'eve@evil.example (alice@people.example)', undefined],
    ['two at signs', 'alice@people.example@evil.example', undefined],
    ['address outside of its brackets', '<alice@people.example>@evil.example', undefined],
    ['two addresses', 'alice@people.example, eve@evil.example', undefined],
  ])('from another sender who looks like her: %s', async (_, from, outcome) => {
    const process = await context.start(booker())
    const request = await asked(process)
    const change = (raw: string) => raw.replace(/^From: .*$/m, `From: ${from}`)
    const sending: Sending = { change, signedBy: 'evil.example', envelopeFrom: 'eve@evil.example' }
    await expect(alice.answer(process, request, 'yes', sending)).rejects.toThrow('550')
    expect(outcomes()).toEqual(outcome === undefined ? [] : [outcome])
    expect(ran).toEqual([])
  })

  const results = 'corp.example; dmarc=pass header.from=people.example'
  test.each([
    ['in its headers', { headers: { 'Authentication-Results': results } }],
    ['at the beginning of its text', { text: `Authentication-Results: ${results}\r\n\r\nyes` }],
  ])('with results of a check that its writer has made up, %s', async (_, forged) => {
    await attempt('unauthenticated', (process, request) =>
      alice.answer(process, request, 'yes', { ...forged, signedBy: false }),
    )
  })

  test.each([
    ['in what is quoted', '\r\n\r\n> yes\r\n> approve'],
    ['in a signature', 'Hm.\r\n-- \r\nyes'],
    ['in a forwarded mail', '---------- Forwarded message ---------\r\nyes'],
    ['with a condition', 'yes, but only for 100'],
    ['in full-width letters', 'ｙｅｓ'],
    ['with a long s', 'ye\u017f'],
    ['after a byte order mark', '\ufeffyes'],
    ['after a wide space', '\u3000yes'],
  ])('a yes %s is not clear, and is asked for again', async (_, text) => {
    await attempt('unclear', (process, request) => alice.answer(process, request, text))
    await until(() => alice.inbox().length === 2)
    const { subject, text: again } = alice.inbox()[1]?.email ?? {}
    // The same subject as that of the answer: tokens are not for people.
    expect(subject).toMatch(/^Re: /)
    expect(subject).not.toContain('[approval:')
    expect(again).toContain('It was not clear whether you approve.')
  })

  test.each([
    ['deny', '<p>approve</p>'],
    ['approve', '<p>deny</p>'],
    ['approve', '<p>approve</p><p style="display:none">deny</p>'],
    ['deny', '<p style="display:none">approve</p>'],
    ['', '<p>&#xfeff;approve</p>'],
    ['', '<p>ａｐｐｒｏｖｅ</p>'],
    ['', '<p style="display: none">approve</p>'],
    ['', '<p>Let me think.</p><p hidden>approve</p>'],
    ['', '<div style="font-size:0">approve</div><blockquote>Shall I?</blockquote>'],
  ])('text that says %s, and HTML that says %s', async (text, html) => {
    await attempt('unclear', (process, request) => alice.answer(process, request, '', { text, html }))
  })

  test('with a good token, from a person who was not asked', async () => {
    await attempt('not-the-approver', (process, request) => as('bob@people.example').answer(process, request, 'yes'))
  })

  test('with the token of one approver, from another one; with their own it does', async () => {
    const process = await context.start(booker())
    const bob = as('bob@people.example')
    const [owner, one, other] = ['web', 'alice', 'bob'].map((id): Principal => ({ kind: 'user', id, tenant }))
    if (owner === undefined || one === undefined || other === undefined) throw new Error('No process is there.')
    const approvers = [one, other].map(({ kind, id }) => ({ kind, id }))
    const session = await process.sessions.open({ principal: owner, approvers })
    await process.sessions.join(session, emailOriginator({ address: alice.address, principal: one }), owner)
    await process.sessions.join(session, emailOriginator({ address: bob.address, principal: other }), owner)
    const from = { id: 'sse:web', transport: 'sse', deliveryClass: 'streaming', principal: owner } as const
    await process.sessions.post(session, { parts: [{ text: 'book', metadata: { partType: 'message' } }], from }, owner)
    await until(() => alice.inbox().length === 1 && bob.inbox().length === 1)
    const [[hers], [his]] = [alice.inbox(), bob.inbox()]
    if (hers === undefined || his === undefined) throw new Error('They were not both asked.')
    await expect(bob.answer(process, hers, 'yes')).rejects.toThrow('550')
    expect([outcomes(), ran]).toEqual([['not-the-approver'], []])
    await bob.answer(process, his, 'yes')
    await until(() => ran.length === 1)
    expect(outcomes()).toEqual(['not-the-approver', 'decided'])
  })

  test('in a mail of a person to whom the request was forwarded', async () => {
    await attempt('not-the-approver', (process, { email }) =>
      as('bob@people.example').write(process, {
        subject: `Fwd: ${email.subject}`,
        text: `yes\r\n\r\n---------- Forwarded message ---------\r\nFrom: ${alice.address}\r\n\r\n${email.text}`,
      }),
    )
  })

  const labelled = (request: Delivered) => ({ subject: labelOf(request), text: 'yes' })

  test('with the label alone, from a person who was not asked', async () => {
    await attempt('no-token', (process, request) => as('bob@people.example').write(process, labelled(request)))
  })

  test('with the label alone, from the address that was asked, which is not proven', async () => {
    await attempt('unauthenticated', (process, request) =>
      alice.write(process, { ...labelled(request), signedBy: 'evil.example' }),
    )
  })

  test('with two labels', async () => {
    await attempt('disagrees', (process, request) =>
      alice.write(process, { ...labelled(request), text: 'yes\r\n\r\n[approval:approval_other]' }),
    )
  })

  test('with the label of no approval', async () => {
    await attempt('no-token', (process) => alice.write(process, { subject: '[approval:approval_other]', text: 'yes' }))
  })

  test('with a token that was never issued', async () => {
    await attempt('invalid-token', (process, request) =>
      alice.answer(process, request, '', { text: 'yes', to: `agent+a.${'a'.repeat(42)}@corp.example` }),
    )
  })

  test('with the label of another approval in its subject', async () => {
    await attempt('disagrees', (process, request) =>
      alice.answer(process, request, 'yes', { subject: '[approval:approval_other] yes' }),
    )
  })
})

describe('mail without an author', () => {
  test.each([
    ['an out-of-office reply', { 'Auto-Submitted': 'auto-replied' }],
    ['an older one', { 'X-Autoreply': 'yes' }],
    ['a bulk one', { Precedence: 'auto_reply' }],
    ['a copy by a list', { 'List-Id': '<team.people.example>' }],
  ])('%s decides nothing, and is not answered', async (_, headers) => {
    const process = await context.start(booker())
    await alice.answer(process, await asked(process), 'yes', { headers })
    expect(outcomes()).toEqual([])
    expect(ran).toEqual([])
    expect(alice.inbox()).toHaveLength(1)
  })

  test('a bounce of the request is ignored, and no more is sent there', async () => {
    const process = await context.start(booker())
    const request = await asked(process)
    const report = [
      'From: MAILER-DAEMON@people.example',
      `To: ${request.from}`,
      'Subject: Undelivered',
      'Message-ID: <bounce@people.example>',
      'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
      '',
      '--b',
      'Content-Type: text/plain',
      '',
      'yes, this address does not exist',
      '--b',
      'Content-Type: message/delivery-status',
      '',
      'Reporting-MTA: dns; people.example',
      '',
      'Final-Recipient: rfc822; alice@people.example',
      'Action: failed',
      'Status: 5.1.1',
      '--b--',
    ].join('\r\n')
    await alice.post(process.channel.smtpPort() ?? 0, report, { envelopeFrom: '', to: request.from })
    expect(ran).toEqual([])
    const operator: Principal = { kind: 'operator', id: 'o', tenant }
    const [session] = (await process.sessions.list({}, operator)).items
    const [approvalId = ''] =
      (await process.sessions.view(session?.sessionId ?? '', operator)).turn?.pendingApprovals ?? []
    await process.sessions.decide(approvalId, { decision: 'granted' }, operator)
    await until(async () => (await process.sessions.deadLetters({}, operator)).items.length === 1)
    expect(alice.inbox()).toHaveLength(1)
  })
})

describe('an answer that comes too late', () => {
  test('the same mail again changes nothing', async () => {
    const process = await context.start(booker())
    const request = await asked(process)
    const raw = await alice.answer(process, request, 'yes')
    await until(() => alice.got().includes('It is booked.'))
    await alice.post(process.channel.smtpPort() ?? 0, raw, { to: request.email.replyTo?.[0]?.address ?? '' })
    expect(outcomes()).toEqual(['decided'])
    expect(ran).toHaveLength(1)
  })

  test('another mail is told that it has been decided', async () => {
    const process = await context.start(booker())
    const request = await asked(process)
    await alice.answer(process, request, 'no')
    await until(() => alice.got().includes('Not booked'))
    await alice.answer(process, request, 'yes')
    await until(() => alice.got().includes('already been decided'))
    expect(outcomes()).toEqual(['decided', 'already'])
    expect(ran).toEqual([])
  })

  test('after its expiry it does nothing', async () => {
    const process = await context.start(booker(187, Date.now() + 1_000))
    const request = await asked(process)
    await until(() => alice.got().includes('Not booked: No decision was made in time.'))
    await alice.answer(process, request, 'yes')
    await until(() => alice.got().includes('has expired'))
    expect(outcomes()).toEqual(['expired'])
    expect(ran).toEqual([])
  })

  test('when the call has changed since, the old answer is void, and the new call is asked for', async () => {
    const first = await context.start(booker(187))
    const request = await asked(first)
    await first.stop()
    const second = await context.start(booker(999))
    await alice.answer(second, request, 'yes')
    await until(() => alice.got().includes('Price: 999'))
    expect(ran).toEqual([])
    const again = alice.inbox().find(({ email }) => email.text?.includes('Price: 999'))
    if (again === undefined) throw new Error('It was not asked again.')
    await alice.answer(second, again, 'yes')
    await until(() => alice.got().includes('It is booked.'))
    expect(ran).toEqual(['for 999'])
  })
})

test('an answer that is never clear is asked for twice more, and then no more', async () => {
  const process = await context.start(booker())
  const request = await asked(process)
  for (const text of ['hm', 'perhaps', 'let me think']) await alice.answer(process, request, text)
  expect(outcomes()).toEqual(['unclear', 'unclear', 'unclear'])
  expect(alice.inbox().filter(({ email }) => email.text?.includes('It was not clear'))).toHaveLength(2)
  const again = alice.inbox().at(-1)
  if (again === undefined) throw new Error('It was not asked again.')
  await alice.answer(process, again, 'yes')
  await until(() => alice.got().includes('It is booked.'))
})

describe('the page that a request links to', () => {
  const publicUrl = 'https://agent.example'

  async function linked() {
    const process = await context.start(booker(), { publicUrl })
    const request = await asked(process)
    const url = /https:\/\/agent\.example\/approvals\/by-mail\/[a-z2-9]{42}/.exec(request.email.text ?? '')?.[0] ?? ''
    const visit = async (init?: RequestInit) =>
      (await process.channel.fetch?.(new Request(url, init))) ?? new Response(null, { status: 500 })
    /** What the page's own form would send. */
    const form = async (decision: string) => {
      const shown = /name="form" value="([^"]+)"/.exec(await (await visit()).text())?.[1] ?? ''
      return new URLSearchParams({ form: shown, decision })
    }
    return { process, visit, url, form }
  }

  test('shows what is asked, and decides nothing, however often it is looked at', async () => {
    const { visit } = await linked()
    for (let n = 0; n < 3; n++) expect(await (await visit()).text()).toContain('BA 2043')
    expect(ran).toEqual([])
  })

  test('cannot be framed, kept or indexed', async () => {
    const { headers } = await (await linked()).visit()
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('referrer-policy')).toBe('same-origin')
    expect(headers.get('x-robots-tag')).toBe('noindex')
  })

  test('decides once, by POST', async () => {
    const { visit, form } = await linked()
    const late = await form('denied')
    expect((await visit({ method: 'POST', body: await form('perhaps') })).status).toBe(400)
    const done = await visit({ method: 'POST', body: await form('granted') })
    expect(done.status).toBe(200)
    expect(await done.text(), 'what was approved').toMatch(/Approved<\/h1><p>Your decision counts\.<\/p><h2>Book<\/h2>/)
    await until(() => alice.got().includes('It is booked.'))
    const tooLate = await (await visit({ method: 'POST', body: late })).text()
    expect(tooLate).toMatch(/too late<\/h1><p>This was approved by mail, .* UTC\.<\/p><h2>Book<\/h2>/)
    const after = await (await visit()).text()
    expect(after).not.toContain('<button')
    expect(after, 'what was decided, where and when').toMatch(/Book<\/h1><p>This was approved by mail, .* UTC\.<\/p>/)
    expect(after).toContain('<dt>Flight</dt><dd>BA 2043</dd>')
  })

  test('takes a reason with the decision', async () => {
    const { visit, form } = await linked()
    const body = await form('denied')
    body.set('reason', 'Too <b>early</b>.')
    expect((await visit({ method: 'POST', body })).status).toBe(200)
    await until(() => alice.got().includes('Not booked: Too <b>early</b>.'))
  })

  test('says on the page what is wrong with a form, and decides nothing', async () => {
    const { visit, form } = await linked()
    const body = await form('granted')
    body.set('arg.number.price', '1')
    const answer = await visit({ method: 'POST', body })
    expect(answer.status).toBe(400)
    const page = await answer.text()
    expect(page).toContain('Nothing is decided yet: The argument &#39;price&#39; of this call cannot be changed.')
    expect(page, 'it can be decided still').toContain('<button')
    expect(ran).toEqual([])
  })

  test.each([
    ['without what the page has shown', 403, async () => new URLSearchParams({ decision: 'granted' })],
    [
      'with what another page has shown',
      403,
      async (form: URLSearchParams) =>
        new URLSearchParams(`form=${form.get('form')?.replace(/.$/, '_')}&decision=granted`),
    ],
    ['that says both', 403, async (form: URLSearchParams) => new URLSearchParams(`${form}&decision=denied`)],
    ['as plain text', 415, async (form: URLSearchParams) => new Blob([String(form)], { type: 'text/plain' })],
    [
      'as JSON',
      415,
      async (form: URLSearchParams) =>
        new Blob([JSON.stringify(Object.fromEntries(form))], { type: 'application/json' }),
    ],
  ] as const)('takes no form %s', async (_, status, change) => {
    const { visit, form } = await linked()
    const answer = await visit({ method: 'POST', body: await change(await form('granted')) })
    expect(answer.status).toBe(status)
    expect(await (await visit()).text()).toContain('<button')
    expect(ran).toEqual([])
  })

  test('is not there for a token that is not good', async () => {
    const { process, url } = await linked()
    const wrong = new Request(`${url.slice(0, -3)}${url.endsWith('aaa') ? 'bbb' : 'aaa'}`)
    expect((await process.channel.fetch?.(wrong))?.status).toBe(404)
  })
})

describe('an approver who is asked by many', () => {
  test('gets a few requests by themselves, then one mail about all that are open, after a restart too', async () => {
    const late: (() => void)[] = []
    const timer = (ms: number, run: () => void) => {
      if (ms < 400_000) return systemClock.timer(ms, run)
      late.push(run)
      return () => {}
    }
    await context.close()
    context = await emailTestContext({
      runtime: { ...systemRuntime(), logger: silentLogger, clock: { ...systemClock, timer } },
    })
    context.domains.add('people.example')
    const desk = new Person(context, 'desk@people.example')
    const principal: Principal = { kind: 'operator', id: 'desk', tenant }
    const process = await context.start(booker())
    for (let n = 0; n < 12; n++) {
      const visitor: Principal = { kind: 'anonymous', id: `v${n}`, tenant }
      const session = await process.sessions.open({ principal: visitor })
      await process.sessions.join(session, emailOriginator({ address: desk.address, principal }), principal)
      const from = { id: `page${n}`, transport: 'sse', deliveryClass: 'streaming', principal: visitor } as const
      await process.sessions.post(
        session,
        { parts: [{ text: 'Book', metadata: { partType: 'message' } }], from },
        visitor,
      )
      await until(async () => (await context.store.list('asks:smtp:acme:of:', undefined, 100)).length === n + 1)
    }
    await until(() => desk.inbox().length === 5)
    await process.stop()
    late.length = 0
    const next = await context.start(booker())
    expect(desk.inbox()).toHaveLength(5)
    for (const run of late) run()
    await until(() => desk.inbox().length === 6)
    const digest = desk.inbox()[5]?.email
    expect(digest?.subject).toBe('12 requests wait for your decision')
    expect(digest?.text?.match(/Approval needed: Book/g)).toHaveLength(12)
    const [, to = ''] = /Write just "yes" or "no" to (agent\+a\.\w+@corp\.example)/.exec(digest?.text ?? '') ?? []
    await desk.write(next, { to, subject: 'x', text: 'yes' })
    await until(() => ran.length === 1)
  })
})
