import { randomUUID } from 'node:crypto'
import { BeachError } from '@cool-ai/beach-core'
import type { Attachment } from 'postal-mime'
import { answerTo, deliver, written, type Delivered, type Domains, type PostOffice } from '@cool-ai/beach-testing/mail'
import type { Correspondent, LocalPerson } from './local-person.ts'
import type { ReadMarks } from './read-marks.ts'
import type { MailboxState, MailDetail, MailSummary } from './page/shapes.ts'

interface MailboxesOptions {
  readonly office: PostOffice
  readonly domains: Domains
  readonly people: readonly LocalPerson[]
  readonly agent: Correspondent
  readonly read: ReadMarks
  /** Where the agent's own receiver listens. */
  readonly port: () => number | undefined
}

/** What a person writes: a new mail, or an answer to one that they have received. */
export interface NewMail {
  readonly text: string
  readonly subject?: string | undefined
  readonly answers?: string | undefined
}

const excerptLength = 120

/** The people's mailboxes, with what they send. */
export class Mailboxes {
  readonly #options: MailboxesOptions

  constructor(options: MailboxesOptions) {
    this.#options = options
  }

  state(): MailboxState {
    const { people, agent } = this.#options
    return {
      agent,
      boxes: people.map((person) => ({
        ...person,
        mails: this.#of(person)
          .map((mail) => this.#summary(mail, person))
          .toReversed(),
      })),
    }
  }

  /** How many mails are unread. */
  unread(): number {
    return this.state().boxes.reduce((sum, { mails }) => sum + mails.filter(({ isNew }) => isNew).length, 0)
  }

  detail(id: string): MailDetail {
    const [mail, person] = this.#find(id)
    const { text = '', html, attachments } = mail.email
    return {
      ...this.#summary(mail, person),
      text,
      hasHtml: html !== undefined,
      files: attachments.map((file, index) => ({
        name: nameOf(file, index),
        mimeType: file.mimeType,
        bytes: bytesOf(file).byteLength,
      })),
    }
  }

  html(id: string): string {
    const { html } = this.#find(id)[0].email
    if (html === undefined) throw missing('This mail has no HTML.')
    return html
  }

  file(id: string, index: number): { readonly name: string; readonly bytes: Uint8Array<ArrayBuffer> } {
    const file = this.#find(id)[0].email.attachments[index]
    if (file === undefined) throw missing('This mail has no such file.')
    return { name: nameOf(file, index), bytes: bytesOf(file) }
  }

  markRead(id: string): void {
    this.#options.read.add([this.#find(id)[0].id])
  }

  /** Writes to the agent, signed by the writer's domain as any other mail of it. Kept once it was taken. */
  async write(personId: string, { text, subject = '', answers }: NewMail): Promise<string> {
    const { people, agent, domains, office } = this.#options
    const person = people.find(({ id }) => id === personId)
    if (person === undefined) throw missing('There is no person of that name here.')
    const before = answers === undefined ? undefined : this.#find(answers)[0]
    const domain = person.address.split('@')[1] ?? ''
    const letter = before === undefined ? { to: agent.address, subject, text } : answerTo(before, text)
    const from = `${person.name} <${person.address}>`
    const plain = await written({ from, messageId: `<${randomUUID()}@${domain}>`, ...letter })
    const raw = await domains.sign(plain, domain)
    // It comes before what is answered to it, which may be there before it is known that it was taken.
    const at = Date.now()
    await this.#deliver(raw, person.address, letter.to)
    const { id } = await office.keep({ from: person.address, to: [letter.to], raw, at })
    return id
  }

  async #deliver(raw: string, from: string, to: string): Promise<void> {
    const port = this.#options.port()
    if (port === undefined) throw new BeachError('UNREACHABLE', 'The agent accepts no mail yet. Send it again.')
    try {
      await deliver(port, raw, { from, to: [to] })
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      throw new BeachError('UNREACHABLE', `The mail was not accepted: ${reason}`, { cause })
    }
  }

  /** What a person has received and sent. A mail that came twice has one Message-ID, by which mail programs show it once. */
  #of({ address }: LocalPerson): Delivered[] {
    const all = this.#options.office.delivered.filter(({ to, from }) => to.includes(address) || from === address)
    const first = new Map(all.toReversed().map((mail) => [mail.email.messageId ?? mail.id, mail.id]))
    return all
      .filter((mail) => first.get(mail.email.messageId ?? mail.id) === mail.id)
      .toSorted((one, other) => one.at - other.at)
  }

  #find(id: string): [Delivered, LocalPerson] {
    for (const person of this.#options.people) {
      const mail = this.#of(person).find((entry) => entry.id === id)
      if (mail !== undefined) return [mail, person]
    }
    throw missing('There is no such mail.')
  }

  #summary({ id, at, from, to, email }: Delivered, { address }: LocalPerson): MailSummary {
    const isMine = from === address
    return {
      id,
      at,
      isMine,
      from: email.from?.name || (email.from?.address ?? from),
      // The address that answers a request has its token in it, which people need not read.
      to: isMine ? this.#options.agent.name : to.join(', '),
      subject: email.subject ?? '',
      excerpt: (email.text ?? '').replaceAll(/\s+/g, ' ').slice(0, excerptLength),
      files: email.attachments.length,
      isNew: !isMine && !this.#options.read.has(id),
    }
  }
}

function nameOf({ filename }: Attachment, index: number): string {
  return filename ?? `file-${index + 1}`
}

function bytesOf({ content }: Attachment): Uint8Array<ArrayBuffer> {
  return typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content)
}

function missing(message: string): BeachError {
  return new BeachError('NOT_FOUND', message)
}
