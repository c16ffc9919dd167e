import { BeachError, systemRuntime, type Channel } from '@cool-ai/beach-core'
import { domains } from '../mail/domains.ts'
import { answerTo, deliver, written } from '../mail/letters.ts'
import { postOffice, type Delivered, type PostOffice } from '../mail/post-office.ts'
import { escaped, linked, localPage, type LocalChannel, type LocalPerson } from './local-pages.ts'

/** What a mail channel needs to reach the people of this machine. */
export interface LocalMailAccount {
  readonly address: string
  readonly name: string
  readonly outbound: { readonly host: string; readonly port: number }
  readonly smtp: { readonly host: string; readonly port: number }
  readonly dns: ReturnType<typeof domains>['dns']
}

/** The settings of `localMail`. */
export interface LocalMailOptions {
  /** The agent's own address, such as `clerk@office.example`. */
  readonly address: string
  readonly name: string
  readonly people: readonly LocalPerson[]
}

type MailChannel = Channel & { smtpPort(): number | undefined }

/**
 * Mail without an account: `localMail(email, { address, name, people })` in place of `email({ … })`. The agent sends to a
 * post office in this process; the people's mailbox is a page of the agent, `/local/mailbox`. Everything is gone with the
 * process.
 */
export function localMail(
  email: (account: LocalMailAccount) => MailChannel,
  { address, name, people }: LocalMailOptions,
): LocalChannel {
  const known = domains()
  for (const person of people) known.add(domainOf(person.address))
  let office: PostOffice | undefined
  const mail = email({
    address,
    name,
    // Read when the channel starts; the post office has a port by then.
    outbound: {
      host: '127.0.0.1',
      get port() {
        return office?.port ?? 25
      },
    },
    smtp: { host: '127.0.0.1', port: 0 },
    dns: known.dns,
  })
  const page = localPage({
    path: '/local/mailbox',
    label: 'Mailbox',
    show: async () => shown(office?.delivered ?? [], people),
    take: (form) => write(form),
  })
  const write = async (form: URLSearchParams) => {
    const from = people.find((person) => person.address === form.get('from'))
    const text = form.get('text') ?? ''
    const port = mail.smtpPort()
    if (from === undefined || text.trim() === '') throw new BeachError('BAD_REQUEST', 'Say who writes, and what.')
    if (port === undefined || office === undefined) throw new BeachError('UNREACHABLE', 'The agent takes no mail yet.')
    const before = office.delivered.find(({ id }) => id === form.get('answers'))
    const letter =
      before === undefined ? { to: address, subject: form.get('subject') ?? '', text } : answerTo(before, text)
    const domain = domainOf(from.address)
    const messageId = `<${systemRuntime().id('mail')}@${domain}>`
    const raw = await known.sign(
      await written({ from: `"${from.name.replaceAll(/["\\]/g, '')}" <${from.address}>`, messageId, ...letter }),
      domain,
    )
    try {
      await deliver(port, raw, { from: from.address, to: [letter.to] })
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      throw new BeachError('UNREACHABLE', `The agent did not take the mail: ${reason}`, { cause })
    }
    await office.keep({ from: from.address, to: [letter.to], raw })
  }
  return {
    ...mail,
    paths: [...(mail.paths ?? []), '/local/mailbox'],
    localPage: page.link,
    async fetch(request) {
      if (new URL(request.url).pathname === '/local/mailbox') return page.fetch(request)
      if (mail.fetch === undefined) throw new BeachError('NOT_FOUND', 'There is nothing here.')
      return mail.fetch(request)
    },
    async start(context) {
      const addresses = new Set(people.map((person) => person.address))
      const opened = (office = await postOffice({ knows: (to) => addresses.has(to) }))
      context.signal.addEventListener('abort', () => void opened.close(), { once: true })
      await mail.start(context)
    },
  }
}

function domainOf(address: string): string {
  return address.slice(address.indexOf('@') + 1)
}

function shown(mails: readonly Delivered[], people: readonly LocalPerson[]): string {
  const own = new Set(people.map(({ address }) => address))
  const articles = mails.toReversed().map((mail) => shownMail(mail, own.has(mail.from), people))
  const options = people.map(({ name, address }) => `<option value="${escaped(address)}">${escaped(name)}</option>`)
  return `<form method="post"><h2>Write to the agent</h2><label>From <select name="from">${options.join('')}</select></label>
<label>Subject <input name="subject"></label><label>Text <textarea name="text" rows="3"></textarea></label>
<button>Send</button></form>
<div class="live" id="mails" aria-live="polite">${articles.join('') || '<p id="none">No mail yet.</p>'}</div>`
}

function shownMail({ id, from, to, email }: Delivered, isMine: boolean, people: readonly LocalPerson[]): string {
  const reader = people.find(({ address }) => to.includes(address))
  const answer =
    isMine || reader === undefined
      ? ''
      : `<details><summary>Answer</summary><form method="post"><input type="hidden" name="answers" value="${escaped(id)}">
<input type="hidden" name="from" value="${escaped(reader.address)}"><textarea name="text" rows="2" aria-label="Answer"></textarea>
<button>Send</button></form></details>`
  // What stands behind the plus is a token, which people need not read.
  const nameOf = (address: string) =>
    people.find((person) => person.address === address)?.name ?? address.replace(/\+.*@/, '@')
  const files = email.attachments.map(({ filename }) => `<li>${escaped(filename ?? 'file')}</li>`).join('')
  return `<article id="${escaped(id)}"${isMine ? ' class="mine"' : ''}><h2>${escaped(email.subject ?? '')}</h2>
<small>${escaped(nameOf(from))} to ${escaped(to.map(nameOf).join(', '))}</small><pre>${linked(email.text ?? '')}</pre>
${files === '' ? '' : `<ul>${files}</ul>`}${answer}</article>`
}
