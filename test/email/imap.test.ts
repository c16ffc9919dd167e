import type { Principal, Store } from '@cool-ai/beach-core'
import type { ActorContext } from '@cool-ai/beach-session'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { emailTestContext, tenant, until, type EmailProcess, type EmailTestContext } from './email-context.ts'
import { mailboxLogin, mailboxServer, type MailboxServer } from './mailbox-server.ts'
import { Person } from './person.ts'

let context: EmailTestContext
let mailbox: MailboxServer
let anna: Person

beforeEach(async () => {
  context = await emailTestContext()
  mailbox = await mailboxServer()
  context.domains.add('people.example')
  anna = new Person(context, 'anna@people.example')
})
afterEach(async () => {
  await context.close()
  await mailbox.close()
})

const operator: Principal = { kind: 'operator', id: 'o', tenant }

const echo = async ({ text, respond }: ActorContext) => {
  await respond({ parts: [{ partType: 'response', text: `You said: ${text}` }], turnState: 'complete' })
}

const imap = (more: { authservId?: string; port?: number } = {}) => ({
  host: '127.0.0.1',
  port: mailbox.port,
  auth: mailboxLogin,
  ...more,
})

const start = (options: Parameters<EmailTestContext['start']>[1] = {}): Promise<EmailProcess> =>
  context.start(echo, { imap: imap(), ...options })

async function sessionsOf({ sessions }: EmailProcess): Promise<number> {
  return (await sessions.list({ limit: 200 }, operator)).items.length
}

const answered = (text: string) => anna.inbox().filter(({ email }) => email.text?.includes(`You said: ${text}`)).length

describe('a mailbox', () => {
  test('is read from the unread mails, when it is new here', async () => {
    mailbox.append(await anna.raw({ text: 'an old one' }), ['\\Seen'])
    mailbox.append(await anna.raw({ text: 'an unread one' }))
    const process = await start()
    await until(() => answered('an unread one') === 1)
    mailbox.append(await anna.raw({ text: 'a new one' }))
    await until(() => answered('a new one') === 1)
    expect(answered('an old one')).toBe(0)
    expect(await sessionsOf(process)).toBe(2)
  })

  test('is read to its end, however many mails come at once', async () => {
    const process = await start()
    for (let n = 0; n < 12; n++) mailbox.append(await anna.raw({ text: `mail ${n}.` }))
    await until(async () => (await sessionsOf(process)) === 12)
    await until(() => anna.inbox().length === 12)
    expect(mailbox.flags().every((flags) => flags.includes('\\Seen'))).toBe(true)
  })

  test('is read on from where an earlier process ended, with what came meanwhile, each once', async () => {
    const first = await start()
    mailbox.append(await anna.raw({ text: 'before' }))
    await until(() => answered('before') === 1)
    await first.stop()
    // A person looks into the mailbox with another program: that it was read there says nothing.
    for (const text of ['meanwhile 1', 'meanwhile 2']) mailbox.append(await anna.raw({ text }), ['\\Seen'])
    const second = await start()
    await until(() => answered('meanwhile 1') === 1 && answered('meanwhile 2') === 1)
    expect(answered('before')).toBe(1)
    expect(await sessionsOf(second)).toBe(3)
  })

  test('is read anew when its numbers have changed, and what was taken is recognised', async () => {
    const first = await start()
    mailbox.append(await anna.raw({ text: 'before' }))
    await until(() => answered('before') === 1)
    await first.stop()
    mailbox.append(await anna.raw({ text: 'meanwhile' }))
    mailbox.renumber()
    const second = await start()
    await until(() => answered('meanwhile') === 1)
    mailbox.append(await anna.raw({ text: 'after' }))
    await until(() => answered('after') === 1)
    expect(answered('before')).toBe(1)
    expect(await sessionsOf(second)).toBe(3)
  })

  test('is not marked as read before a mail is in the log', async () => {
    let isBroken = true
    const store: Store = new Proxy(context.store, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target)
        if (typeof value !== 'function') return value
        return (...args: unknown[]) => {
          if (isBroken && name === 'bind' && String(args[0]).includes(':in:')) throw new Error('The disk is full.')
          return (value as (...given: unknown[]) => unknown).apply(target, args)
        }
      },
    })
    mailbox.append(await anna.raw({ text: 'hello' }))
    const process = await start({ store })
    await until(() => context.log.some(({ message }) => message === 'the mailbox cannot be read now'))
    expect(mailbox.flags()[0]).not.toContain('\\Seen')
    isBroken = false
    await until(() => mailbox.flags()[0]?.includes('\\Seen') === true)
    await until(() => answered('hello') === 1)
    expect(await sessionsOf(process)).toBe(1)
  })

  test('that is not there is tried again', async () => {
    const { port, close } = await mailboxServer()
    await close()
    await start({ imap: imap({ port }) })
    expect(context.log.some(({ message }) => message === 'the mailbox cannot be read now')).toBe(true)
    const back = await mailboxServer(port)
    back.append(await anna.raw({ text: 'hello' }))
    await until(() => answered('hello') === 1)
    await context.close()
    await back.close()
  })

  test('does not stop at an unreadable mail', async () => {
    await start()
    mailbox.append(`From: a@b.example\r\n${'X-A: b\r\n'.repeat(5_000)}\r\nhello`)
    mailbox.append(await anna.raw({ text: 'the next one' }))
    await until(() => answered('the next one') === 1)
  })
})

describe('a server in front of the mailbox that checks mail', () => {
  const results = (server: string) => `Authentication-Results: ${server}; dmarc=pass header.from=people.example\r\n`
  const owner = async (process: EmailProcess) => {
    const [session] = (await process.sessions.list({}, operator)).items
    return (await process.sessions.view(session?.sessionId ?? '', operator)).owner?.kind
  }

  test('is believed, when it is the one that is named', async () => {
    const process = await start({ imap: imap({ authservId: 'mx.corp.example' }) })
    mailbox.append(results('mx.corp.example') + (await anna.raw({ text: 'hello', signedBy: false })))
    await until(() => answered('hello') === 1)
    expect(await owner(process)).toBe('user')
  })

  test.each([
    ['another server', results('mx.evil.example')],
    ['not the topmost', results('mx.other.example') + results('mx.corp.example')],
    ['below one that says no', results('mx.corp.example').replace('pass', 'fail') + results('mx.corp.example')],
  ])('is not believed: %s', async (_, headers) => {
    const process = await start({ imap: imap({ authservId: 'mx.corp.example' }), guests: true })
    mailbox.append(headers + (await anna.raw({ text: 'hello', signedBy: false })))
    await until(() => answered('hello') === 1)
    expect(await owner(process)).toBe('anonymous')
  })

  test('is not believed when what it says stands in the text of a mail', async () => {
    const process = await start({ imap: imap({ authservId: 'mx.corp.example' }), guests: true })
    mailbox.append(await anna.raw({ text: `${results('mx.corp.example')}\r\nhello`, signedBy: false }))
    await until(() => anna.inbox().length === 1)
    expect(await owner(process)).toBe('anonymous')
  })
})
