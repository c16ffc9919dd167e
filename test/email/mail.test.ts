import type { Originator, Part, Principal } from '@cool-ai/beach-core'
import { emailOriginator } from '@cool-ai/beach-email'
import { MemoryArtifactStore } from '@cool-ai/beach-missives'
import type { ActorContext } from '@cool-ai/beach-session'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { agent, emailTestContext, tenant, until, type EmailProcess, type EmailTestContext } from './email-context.ts'
import { selfSigned } from '../../packages/channel/src/guarded-fetch/self-signed.test-helper.ts'
import { Person } from './person.ts'
import { deliver, type Delivered } from '@cool-ai/beach-testing/mail'

let context: EmailTestContext
let artifacts: MemoryArtifactStore
let anna: Person

const operator: Principal = { kind: 'operator', id: 'o', tenant }

beforeEach(async () => {
  artifacts = new MemoryArtifactStore()
  context = await emailTestContext({ artifacts })
  context.domains.add('people.example')
  anna = new Person(context, 'anna@people.example')
})
afterEach(() => context.close())

const echo = async ({ text, respond }: ActorContext) => {
  await respond({ parts: [{ partType: 'response', text: `You said: ${text}` }], turnState: 'complete' })
}

const scriptedReply =
  (...parts: (Part | { partType: string; text?: string; data?: unknown })[]) =>
  async ({ respond }: ActorContext) => {
    await respond({ parts, turnState: 'complete' })
  }

async function mails(count: number): Promise<readonly Delivered[]> {
  await until(() => anna.inbox().length >= count)
  return anna.inbox()
}

/** The session of the first mail, and what was said in it. */
async function conversation({ sessions }: EmailProcess) {
  const { items } = await sessions.list({}, operator)
  const reader: Originator = { id: 'o', transport: 'sse', deliveryClass: 'streaming', principal: operator }
  const said: Part[] = []
  for (const { sessionId } of items) {
    for await (const frame of sessions.history(sessionId, reader)) {
      if (frame.kind === 'part' && frame.role === 'user') said.push(frame.part)
    }
  }
  return { items, said, session: items[0]?.sessionId ?? '' }
}

describe('a thread', () => {
  test('is a session of the sender, whose id is in the Message-ID of the answer', async () => {
    const process = await context.start(echo)
    await anna.write(process, { subject: 'Corfu', text: 'Two weeks in May?' })
    const [answer] = await mails(1)
    const { session } = await conversation(process)
    expect(answer?.email.messageId).toMatch(new RegExp(`^<r\\.${session}\\.[a-z2-9]{26}@corp\\.example>$`))
    expect(answer?.email.subject).toBe('Re: Corfu')
    expect(answer?.email.text).toContain('You said: Corfu\n\nTwo weeks in May?')
    const by: Principal = { kind: 'user', id: 'email:anna@people.example', tenant }
    await expect(process.sessions.view(session, by)).resolves.toMatchObject({ owner: by })
  })

  test('goes on by any of its marks alone', async () => {
    const process = await context.start(echo)
    await anna.write(process, { subject: 'Corfu', text: 'one' })
    const [first] = await mails(1)
    const { messageId = '', replyTo } = first?.email ?? {}
    await anna.write(process, { text: 'by its In-Reply-To', inReplyTo: messageId })
    await anna.write(process, { text: 'by its References', references: `<x@y> ${messageId}` })
    await anna.write(process, { text: 'by its address', to: replyTo?.[0]?.address ?? '' })
    await anna.write(process, { text: 'by a mail of her own', inReplyTo: '<anna.1@mail.example>' })
    await mails(5)
    const { items, said } = await conversation(process)
    expect(items).toHaveLength(1)
    expect(said).toHaveLength(5)
  })

  test('is not joined by marks that disagree', async () => {
    const process = await context.start(echo)
    await anna.write(process, { subject: 'a', text: 'one' })
    await anna.write(process, { subject: 'b', text: 'two' })
    const [one, two] = await mails(2)
    const sending = {
      inReplyTo: one?.email.messageId ?? '',
      to: two?.email.replyTo?.[0]?.address ?? '',
      text: 'which?',
    }
    await expect(anna.write(process, sending)).rejects.toThrow('more than one conversation')
    expect((await conversation(process)).said).toHaveLength(2)
  })

  test('is not joined by another person, who gets a session of their own', async () => {
    const process = await context.start(echo)
    await anna.write(process, { subject: 'a', text: 'one' })
    const [first] = await mails(1)
    const bob = new Person(context, 'bob@people.example')
    if (first !== undefined) await bob.answer(process, first, 'let me in')
    await until(() => bob.inbox().length === 1)
    expect((await conversation(process)).items).toHaveLength(2)
    expect(anna.inbox()).toHaveLength(1)
  })

  test('is not joined in her name by mail that does not prove that it is hers', async () => {
    const process = await context.start(echo)
    await anna.write(process, { subject: 'a', text: 'one' })
    const [first] = await mails(1)
    if (first === undefined) throw new Error('There is no answer.')
    await expect(anna.answer(process, first, 'forged', { signedBy: false })).rejects.toThrow('unauthenticated')
    expect((await conversation(process)).said).toHaveLength(1)
  })

  test('is not joined in the name of a user by mail that proves nothing, where its domain has no rule against it', async () => {
    context.domains.add('open.example', 'none')
    const process = await context.start(echo)
    anna = new Person(context, 'anna@open.example')
    await anna.write(process, { subject: 'a', text: 'one' })
    const [first] = await mails(1)
    if (first === undefined) throw new Error('There is no answer.')
    await expect(anna.answer(process, first, 'forged', { signedBy: false })).rejects.toThrow('unauthenticated')
    expect((await conversation(process)).said).toHaveLength(1)
  })

  test('keeps the order of its mails in their references', async () => {
    const process = await context.start(echo)
    await anna.write(process, { subject: 'a', text: 'one' })
    const [first] = await mails(1)
    if (first !== undefined) await anna.answer(process, first, 'two')
    const second = (await mails(2))[1]
    expect(second?.email.references?.split(/\s+/)).toEqual([
      '<anna.1@mail.example>',
      first?.email.messageId,
      '<anna.2@mail.example>',
    ])
  })
})

describe('a sender whose mail proves nothing', () => {
  test('is a guest, where guests are wanted and the domain has no rule', async () => {
    const process = await context.start(echo, { guests: true })
    const guest = new Person(context, 'guest@unknown.example')
    await guest.write(process, { text: 'hello', signedBy: false })
    await until(() => guest.inbox().length === 1)
    const { items } = await conversation(process)
    const view = await process.sessions.view(items[0]?.sessionId ?? '', operator)
    expect(view.owner).toMatchObject({ kind: 'anonymous', id: 'email:guest@unknown.example' })
    const [answer] = guest.inbox()
    if (answer !== undefined) await guest.answer(process, answer, 'more', { signedBy: false })
    await until(() => guest.inbox().length === 2)
    expect((await conversation(process)).items).toHaveLength(1)
  })

  test('is refused where the domain says so, and where guests are not wanted', async () => {
    const process = await context.start(echo)
    await expect(anna.write(process, { text: 'hello', signedBy: false })).rejects.toThrow('550')
    const guest = new Person(context, 'guest@unknown.example')
    await expect(guest.write(process, { text: 'hello', signedBy: false })).rejects.toThrow('550')
    expect((await conversation(process)).items).toEqual([])
    expect(
      context.log.some(
        ({ message, fields }) => message === 'a mail was refused' && JSON.stringify(fields).includes('unauthenticated'),
      ),
    ).toBe(true)
  })

  test('is known to the application by its own names, once proven', async () => {
    const principal: Principal = { kind: 'user', id: 'u-17', tenant }
    const process = await context.start(echo, {
      principalOf: (address) => (address === anna.address ? principal : undefined),
    })
    await anna.write(process, { text: 'hello' })
    await mails(1)
    const { session } = await conversation(process)
    expect((await process.sessions.view(session, operator)).owner).toMatchObject(principal)
  })

  test('is asked to come again when the DNS does not answer', async () => {
    const dns = async () => {
      throw Object.assign(new Error('later'), { code: 'ETIMEOUT' })
    }
    const process = await context.start(echo, { dns })
    await expect(anna.write(process, { text: 'hello' })).rejects.toThrow('451')
  })
})

describe('a mail is proven to be from where it says', () => {
  const owner = async (process: EmailProcess) => {
    await mails(1)
    const { session } = await conversation(process)
    return (await process.sessions.view(session, operator)).owner?.kind
  }

  test('by a server that may send for its domain', async () => {
    const process = await context.start(echo)
    context.domains.allow('people.example', '127.0.0.1')
    await anna.write(process, { text: 'hello', signedBy: false })
    expect(await owner(process)).toBe('user')
  })

  test('but not by a server that may send for another domain', async () => {
    const process = await context.start(echo)
    context.domains.allow('evil.example', '127.0.0.1')
    const sending = { text: 'hello', signedBy: false, envelopeFrom: 'eve@evil.example' } as const
    await expect(anna.write(process, sending)).rejects.toThrow('unauthenticated')
  })

  test('but not by a signature that leaves room for more', async () => {
    context.domains.add('open.example', 'none')
    const process = await context.start(echo, { guests: true })
    anna = new Person(context, 'anna@open.example')
    const raw = await context.domains.sign(await anna.raw({ text: 'hello', signedBy: false }), 'open.example', 3)
    await anna.post(process.channel.smtpPort() ?? 0, raw)
    expect(await owner(process)).toBe('anonymous')
  })

  test('and not looked up again and again', async () => {
    context.domains.add('open.example', 'none')
    let asked = 0
    const dns = (domain: string, type: string) => {
      asked++
      return context.domains.dns(domain, type)
    }
    const process = await context.start(echo, { dns, guests: true })
    anna = new Person(context, 'anna@open.example')
    const raw = await anna.raw({ text: 'hello', signedBy: false })
    const [signature] = (await context.domains.sign(raw, 'open.example')).split('From:')
    await anna.post(process.channel.smtpPort() ?? 0, (signature ?? '').repeat(11) + raw)
    expect(await owner(process)).toBe('anonymous')
    expect(asked).toBe(0)
  })
})

describe('an answer', () => {
  test('is text and HTML, with Markdown made safe and styles in each element', async () => {
    const text = '# Corfu\n\n**Two** <script>alert(1)</script> [x](javascript:alert(1))\n\n- one'
    const process = await context.start(scriptedReply({ partType: 'response', text }))
    await anna.write(process, { text: 'hello' })
    const [{ email } = { email: undefined }] = await mails(1)
    expect(email?.text).toContain('**Two**')
    expect(email?.html).toContain('<strong>Two</strong>')
    expect(email?.html).toMatch(/<h1 style="[^"]+">Corfu/)
    expect(email?.html).not.toContain('<script')
    expect(email?.html).not.toContain('href="javascript')
  })

  test('shows surfaces in readable form, and never reasoning', async () => {
    const surface = {
      version: 'v0.9',
      createSurface: { surfaceId: 's', catalogId: 'https://a2ui.org/specification/v0_9/basic_catalog.json' },
      updateComponents: { surfaceId: 's', components: [{ id: 'root', component: 'Text', text: 'Gatwick to Corfu' }] },
    }
    const process = await context.start(
      scriptedReply(
        { partType: 'reasoning-trace', text: 'secret thoughts' },
        { partType: 'response', text: 'Here.' },
        { partType: 'a2ui-surface', data: surface },
      ),
    )
    await anna.write(process, { text: 'hello' })
    const [{ email, raw } = { email: undefined, raw: '' }] = await mails(1)
    expect(email?.text).toContain('Gatwick to Corfu')
    expect(email?.html).toContain('Gatwick to Corfu')
    expect(raw).not.toContain('secret thoughts')
  })

  const flights = [
    { flight: 'BA 2043', price: 187 },
    { flight: 'EJ 1', price: 94 },
  ]
  const found = scriptedReply(
    { partType: 'response', text: 'Two flights.' },
    { data: { flights }, metadata: { partType: 'domain-data', kind: 'flight-results' } },
  )
  const files = (mail: Delivered | undefined) =>
    mail?.email.attachments.map(({ filename, content }) => [filename, Buffer.from(content as ArrayBuffer).toString()])

  test('has data attached only on request, as JSON or CSV', async () => {
    const process = await context.start(found)
    await anna.write(process, { text: 'plain' })
    await mails(1)
    await anna.write(process, { text: 'json', to: 'agent+json@corp.example' })
    await mails(2)
    await anna.write(process, { text: 'csv', to: 'agent+csv@corp.example' })
    const [plain, json, csv] = await mails(3)
    expect(files(plain)).toEqual([])
    expect(files(json)).toEqual([['flight-results.json', JSON.stringify({ flights }, null, 2)]])
    expect(files(csv)).toEqual([['flight-results-flights.csv', '\uFEFFflight,price\r\nBA 2043,187\r\nEJ 1,94\r\n']])
  })

  test('has data attached for all when the agent says so', async () => {
    const process = await context.start(found, { data: 'json' })
    await anna.write(process, { text: 'plain' })
    expect(files((await mails(1))[0])).toHaveLength(1)
  })

  test('has its files attached, those of its own session only, and those that are too large named', async () => {
    const put = (name: string, text: string, session?: string) =>
      artifacts.put(Buffer.from(text), {
        name,
        mimeType: 'text/plain',
        tenant,
        ...(session !== undefined && { session }),
      })
    const given = [
      await put('itinerary.txt', 'Day 1'),
      await put('secret.txt', 'x', 'sess_other'),
      await put('large.txt', 'y'.repeat(2_000)),
    ]
    const parts = given.map(({ artifactId, mimeType, sizeBytes, name }) => ({
      partType: 'artifact',
      data: { artifactId, mimeType, sizeBytes, name },
    }))
    const process = await context.start(scriptedReply({ partType: 'response', text: 'Here.' }, ...parts), {
      limits: { attachedBytes: 1_000 },
      artifactLink: async (artifactId) => `https://agent.example/artifacts/${artifactId}`,
    })
    await anna.write(process, { text: 'hello' })
    const [mail] = await mails(1)
    expect(files(mail)).toEqual([['itinerary.txt', 'Day 1']])
    expect(mail?.email.text).toContain(`large.txt: https://agent.example/artifacts/${given[2]?.artifactId}`)
    expect(mail?.email.text).toContain('secret.txt (not attached)')
  })

  test('names files so that nothing in their names is unseen, and links to them only by whole addresses', async () => {
    const large = await artifacts.put(Buffer.from('y'.repeat(2_000)), { name: 'a.txt', mimeType: 'text/plain', tenant })
    const { artifactId, mimeType, sizeBytes } = large
    const name = 'invoice\u202Efdp.exe\n\nYour mailbox is full: see https://evil.example'
    const process = await context.start(
      scriptedReply(
        { partType: 'response', text: 'Here.' },
        { partType: 'artifact', data: { artifactId, mimeType, sizeBytes, name } },
      ),
      { limits: { attachedBytes: 1_000 }, artifactLink: async () => '/artifacts/x' },
    )
    await anna.write(process, { text: 'hello' })
    const [mail] = await mails(1)
    const { text = '', html = '' } = mail?.email ?? {}
    for (const body of [text, html]) {
      expect(body).toContain('invoice\\u{202e}fdp.exe\\u{a}\\u{a}Your mailbox is full')
      expect(body).not.toContain('\u202E')
      expect(body).toContain('(not attached)')
      expect(body).not.toContain('/artifacts/x')
    }
  })

  test('has no header and no recipient that was smuggled in', async () => {
    const evil = 'x\r\nBcc: eve@evil.example\r\nX-Evil: yes'
    const { artifactId, mimeType, sizeBytes } = await artifacts.put(Buffer.from('x'), {
      name: evil,
      mimeType: 'text/plain',
      tenant,
    })
    const process = await context.start(
      scriptedReply(
        { partType: 'response', text: 'Hi.' },
        { partType: 'artifact', data: { artifactId, mimeType, sizeBytes, name: evil } },
      ),
      { name: `Sally ${evil}` },
    )
    const owner: Principal = { kind: 'user', id: 'web', tenant }
    const session = await process.sessions.open({ principal: owner })
    const joining = emailOriginator({ address: anna.address, principal: owner, subject: evil })
    const details = { ...joining.details, messageId: `<a@b>${evil}`, references: [`<c@d>${evil}`] }
    await process.sessions.join(session, { ...joining, details }, owner)
    const from = { id: 'sse:x', transport: 'sse', deliveryClass: 'streaming', principal: owner } as const
    await process.sessions.post(session, { parts: [{ text: 'hi', metadata: { partType: 'message' } }], from }, owner)
    const [mail] = await mails(1)
    expect(mail?.to).toEqual([anna.address])
    const names = mail?.email.headers.map(({ key }) => key) ?? []
    expect(names).not.toContain('bcc')
    expect(names).not.toContain('x-evil')
    expect(() => emailOriginator({ address: `a@b.example${evil}`, principal: owner })).toThrow('not an address')
  })

  test('says that a program has sent it', async () => {
    const process = await context.start(echo)
    await anna.write(process, { text: 'hello' })
    const [mail] = await mails(1)
    const value = mail?.email.headers.find(({ key }) => key === 'auto-submitted')?.value
    expect(value).toBe('auto-generated')
  })
})

describe('files that come in', () => {
  const pdf = Buffer.from('%PDF-1.7 hello')

  test('are artifacts of the session; what is not kept is named', async () => {
    const process = await context.start(echo)
    await anna.write(process, {
      text: 'See the files.',
      attachments: [
        { filename: '../../plan.pdf', content: pdf, contentType: 'application/octet-stream' },
        { filename: 'run.png', content: Buffer.from('MZ...'), contentType: 'image/png' },
      ],
    })
    await mails(1)
    const { said, session } = await conversation(process)
    const [message, unkept, file] = said
    expect(message?.text).toBe('See the files.')
    expect(unkept?.text).toContain('[file not kept: run.png')
    expect(file).toMatchObject({
      data: { mimeType: 'application/pdf', name: 'plan.pdf', sizeBytes: pdf.byteLength },
      metadata: { partType: 'artifact' },
    })
    const { artifactId } = (file as { data: { artifactId: string } }).data
    const kept = await artifacts.get(artifactId, tenant)
    expect(kept?.artifact.session).toBe(session)
    expect(Buffer.from(await new Response(kept?.open()).arrayBuffer())).toEqual(pdf)
  })

  test('come once, when their mail comes twice', async () => {
    const process = await context.start(echo)
    const raw = await anna.raw({
      text: 'x',
      attachments: [{ filename: 'a.pdf', content: pdf, contentType: 'application/pdf' }],
    })
    const port = process.channel.smtpPort() ?? 0
    await Promise.all([anna.post(port, raw), anna.post(port, raw)])
    await mails(1)
    expect((await conversation(process)).said).toHaveLength(2)
  })

  test('are no more than allowed', async () => {
    const process = await context.start(echo, { limits: { attachments: 2 } })
    const attachments = [1, 2, 3].map((n) => ({ filename: `${n}.pdf`, content: pdf, contentType: 'application/pdf' }))
    await anna.write(process, { text: 'x', attachments })
    await mails(1)
    const { said } = await conversation(process)
    expect(said).toHaveLength(4)
    expect(said[1]?.text).toContain('3.pdf: more than 2 files')
  })
})

describe('the receiver', () => {
  test('takes mail for the agent only, and forwards nothing', async () => {
    const process = await context.start(echo)
    const port = process.channel.smtpPort() ?? 0
    const to = ['bob@people.example']
    await expect(deliver(port, 'From: a@b.example\r\n\r\nx', { from: 'a@b.example', to })).rejects.toThrow('550')
    expect(context.office.delivered).toEqual([])
  })

  const from = 'From: eve@people.example\r\nTo: agent@corp.example\r\n'
  const part = '--b\r\nContent-Disposition: attachment; filename=a\r\n\r\nx\r\n'
  const level = (n: number) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`
  test.each([
    ['parts nested 3000 deep', from + Array.from({ length: 3_000 }, (_, n) => level(n)).join('')],
    ['parts nested 500 deep', from + Array.from({ length: 500 }, (_, n) => level(n)).join('')],
    ['20000 attachments', `${from}Content-Type: multipart/mixed; boundary=b\r\n\r\n${part.repeat(20_000)}--b--`],
    ['100000 headers', `${from}${'X-A: b\r\n'.repeat(100_000)}\r\nhello`],
    ['one endless header', `${from}X-A: ${'b '.repeat(50_000)}\r\n\r\nhello`],
    ['a million lines', `${from}\r\n${'\n'.repeat(1_000_000)}hello`],
  ])('refuses %s for good, before it is read', async (_, raw) => {
    const process = await context.start(echo)
    const port = process.channel.smtpPort() ?? 0
    await expect(deliver(port, raw, { from: 'eve@people.example', to: [agent] })).rejects.toThrow(/: 55[02] /)
    expect((await conversation(process)).items).toEqual([])
  })

  test('offers TLS when it has a certificate', async () => {
    const { key, cert } = selfSigned('corp.example')
    const process = await context.start(echo, { smtp: { host: '127.0.0.1', port: 0, tls: { key, cert } } })
    const envelope = { from: anna.address, to: [agent] }
    const tls = { ca: cert, servername: 'corp.example' }
    await deliver(process.channel.smtpPort() ?? 0, await anna.raw({ text: 'hello' }), envelope, tls)
    await mails(1)
  })

  test('says that a mail is too large before and after it has come', async () => {
    const process = await context.start(echo, { limits: { mailBytes: 1_000 } })
    await expect(anna.write(process, { text: 'x'.repeat(5_000) })).rejects.toThrow('552')
  })

  test('does not answer automatic answers: loops come to rest', async () => {
    const process = await context.start(echo, { limits: { mailsPerHour: 3 } })
    await anna.write(process, { subject: 'ping', text: '0' })
    for (let n = 1; n < 3; n++) {
      const last = (await mails(n)).at(-1)
      if (last !== undefined) await anna.answer(process, last, String(n))
    }
    const last = (await mails(3)).at(-1)
    if (last !== undefined) await anna.answer(process, last, '3')
    const { session } = await conversation(process)
    const failures = async () =>
      (await context.store.read(session, 0)).filter(({ data }) => (data as { type: string }).type === 'deliveryFailed')
    await until(async () => (await failures()).length > 0)
    expect(JSON.stringify(await failures())).toContain('Too many mails')
    expect(anna.inbox()).toHaveLength(3)
  })

  test('ignores mail of its own', async () => {
    const process = await context.start(echo)
    context.domains.add('corp.example')
    const self = new Person(context, agent)
    await self.write(process, { text: 'hello me' })
    expect((await conversation(process)).items).toEqual([])
  })
})

test('a mail of the application is of no conversation', async () => {
  const { channel } = await context.start(echo)
  const outcome = await channel.write({ to: 'Anna@people.example', subject: 'Your\r\nBcc: x@y.z', text: 'code 1234' })
  expect(outcome.status).toBe('sent')
  const [mail] = await mails(1)
  expect(mail?.email.text).toContain('code 1234')
  expect(mail?.email.subject).toBe('Your Bcc: x@y.z')
  expect((await channel.write({ to: 'nobody', subject: 'x', text: 'y' })).status).toBe('refused')
})

test('what is known of a person is forgotten: answers to what was sent before lead nowhere', async () => {
  const process = await context.start(echo)
  await anna.write(process, { subject: 'a', text: 'one' })
  const [first] = await mails(1)
  const keys = async () => JSON.stringify(await context.store.list('email:', undefined, 1_000))
  expect(await keys()).toContain(anna.address)
  const principal: Principal = { kind: 'user', id: 'x', tenant }
  await process.channel.forget?.(emailOriginator({ address: anna.address, principal }))
  expect(await keys()).not.toContain(anna.address)
  if (first !== undefined) await anna.answer(process, first, 'two', { references: '' })
  await mails(2)
  expect((await conversation(process)).items).toHaveLength(2)
})

test('options that cannot work are refused at once, with what to do', async () => {
  await expect(context.start(echo, { address: 'an-address-that-is-too-long@corp.example' })).rejects.toThrow(
    'at most 19',
  )
  await expect(context.start(echo, { address: 'nobody' })).rejects.toThrow('agent@example.com')
  await expect(context.start(echo, { secret: new Uint8Array(8) })).rejects.toThrow('32 bytes')
  await expect(context.start(echo, { limits: { mailBytes: -1 } })).rejects.toThrow('mailBytes')
})
