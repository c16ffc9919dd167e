import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'
import hoodiecrow from 'hoodiecrow-imap'

/** A real IMAP server with one mailbox. */
export interface MailboxServer {
  readonly port: number
  /** Puts a mail into the inbox, as a mail server does. */
  append(raw: string, flags?: readonly string[]): void
  /** Gives the inbox a new validity, as a server does that has lost its numbers. */
  renumber(): void
  /** Flags of the mails, in their order. */
  flags(): readonly (readonly string[])[]
  readonly close: () => Promise<void>
}

interface Crow {
  readonly server: Server
  readonly folders: Record<
    string,
    { uidvalidity?: number; messages: { flags: string[]; uid: number }[] } & Record<string, unknown>
  >
  listen(port: number, host?: string): void
  appendMessage(mailbox: string, flags: readonly string[], date: false, raw: string): void
  getMailbox(path: string): { messages: { flags: string[]; uid: number }[]; uidvalidity: number; uidnext: number }
  close(done: () => void): void
}

export const mailboxLogin = { user: 'testuser', pass: 'testpass' }

export async function mailboxServer(port = 0): Promise<MailboxServer> {
  const crow = hoodiecrow({
    plugins: ['IDLE', 'LITERALPLUS', 'ID'],
    storage: { INBOX: { messages: [], uidvalidity: 100 }, '': { folders: {} } },
  }) as Crow
  crow.listen(port, '127.0.0.1')
  if (!crow.server.listening) await once(crow.server, 'listening')
  return {
    port: (crow.server.address() as AddressInfo).port,
    append: (raw, flags = []) => crow.appendMessage('INBOX', flags, false, raw),
    renumber: () => {
      const inbox = crow.getMailbox('INBOX')
      inbox.uidvalidity += 1
      for (const [index, message] of inbox.messages.entries()) message.uid = index + 1
      inbox.uidnext = inbox.messages.length + 1
    },
    flags: () => crow.getMailbox('INBOX').messages.map(({ flags }) => flags),
    close: () => new Promise((resolve) => crow.close(() => resolve())),
  }
}
