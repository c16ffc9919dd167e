import type { TestContext } from 'vitest'
import { mailboxLogin, mailboxServer, type MailboxServer } from '../email/mailbox-server.ts'
import { answerTo, postOffice, written, type Delivered, type PostOffice } from '@cool-ai/beach-testing/mail'
import { startServer, type ServerProcess } from '../support/server-process.ts'
import { WhatsAppStandIn, type WhatsAppReceived } from '@cool-ai/beach-testing/whatsapp'

const sally = 'sally@travel.example'
const [user, pass] = [mailboxLogin.user, mailboxLogin.pass]
/** The server in front of Sally's mailbox, which has checked where mail is from. */
const front = 'mx.travel.example'

/** The desk that approves bookings: its mailbox, and its phone. */
class DeskPerson {
  readonly address = 'desk@office.example'
  readonly phone = '491700000001'
  readonly #context: Pick<StoryContext, 'office' | 'mailbox' | 'whatsApp'>

  constructor(setup: Pick<StoryContext, 'office' | 'mailbox' | 'whatsApp'>) {
    this.#context = setup
  }

  /** The mails that have come; a mail that came twice has one Message-ID, by which mail programs show it once. */
  mails(): Delivered[] {
    const all = this.#context.office.inbox(this.address)
    return all.filter((mail, at) => at === all.findIndex(({ email }) => email.messageId === mail.email.messageId))
  }

  /** What has come on the phone. */
  messages(): WhatsAppReceived[] {
    return this.#context.whatsApp.of({ phone: this.phone })
  }

  /** Answers a mail: it lies in Sally's mailbox then, whether or not she is there to read it. */
  async answer(mail: Delivered, text: string): Promise<void> {
    const letter = { from: this.address, messageId: '<decision@office.example>', ...answerTo(mail, text) }
    const raw = await written(letter)
    const results = `Authentication-Results: ${front}; dmarc=pass header.from=office.example\r\n`
    this.#context.mailbox.append(results + raw)
  }

  tap(message: WhatsAppReceived, title: 'Approve' | 'Deny'): Promise<string> {
    return this.#context.whatsApp.tap({ phone: this.phone }, message, title)
  }
}

/** The travel agent as `npm start` runs it, in a process of its own, with mail and WhatsApp on its other side. */
export interface StoryContext {
  readonly server: ServerProcess
  readonly office: PostOffice
  readonly mailbox: MailboxServer
  readonly whatsApp: WhatsAppStandIn
  readonly desk: DeskPerson
}

export async function storyContext(test: TestContext): Promise<StoryContext> {
  const whatsApp = new WhatsAppStandIn()
  const [office, mailbox] = await Promise.all([postOffice(), mailboxServer(), whatsApp.server.listen()])
  test.onTestFinished(async () => {
    await Promise.all([office.close(), mailbox.close(), whatsApp.close()])
  })
  whatsApp.templates.set('question:en', 2)
  whatsApp.templates.set('news:en', 0)
  const others = { office, mailbox, whatsApp }
  const desk = new DeskPerson(others)
  const server = await startServer(test, {
    program: 'examples/travel/start.mjs',
    variables: {
      BEACH_SCRIPT_MS: '0',
      TRAVEL_MAIL_ADDRESS: sally,
      TRAVEL_MAIL_SMTP: `smtp://127.0.0.1:${office.port}`,
      TRAVEL_MAIL_IMAP: `imap://${user}:${pass}@127.0.0.1:${mailbox.port}`,
      TRAVEL_MAIL_AUTHSERV: front,
      TRAVEL_WHATSAPP_NUMBER_ID: whatsApp.phoneNumberId,
      TRAVEL_WHATSAPP_TOKEN: whatsApp.accessToken,
      TRAVEL_WHATSAPP_APP_SECRET: whatsApp.appSecret,
      TRAVEL_WHATSAPP_VERIFY_TOKEN: whatsApp.verifyToken,
      TRAVEL_WHATSAPP_URL: whatsApp.graphUrl,
      TRAVEL_WHATSAPP_ASK_TEMPLATE: 'question:en',
      TRAVEL_WHATSAPP_NOTICE_TEMPLATE: 'news:en',
      TRAVEL_DESK_MAIL: desk.address,
      TRAVEL_DESK_PHONE: `+${desk.phone}`,
    },
  })
  whatsApp.webhook = `${server.url}/channels/whatsapp`
  return { ...others, server, desk }
}
