import type { ContextOptions } from '@cool-ai/beach-channel'
import type { Principal, PushPolicy } from '@cool-ai/beach-core'
import type { AllGiven } from '@cool-ai/beach-core/runtime'

/** Looks something up in the DNS, as `resolve` of `node:dns/promises` does. */
export type DnsResolver = (domain: string, type: string) => Promise<string[][] | string[]>

/** The server that mail is given to. */
export interface MailOutbound {
  readonly host: string
  readonly port: number
  /** True for TLS from the start; otherwise STARTTLS is used where the server offers it. */
  readonly secure?: boolean | undefined
  /** True to refuse a server that offers no TLS. */
  readonly requireTLS?: boolean | undefined
  readonly auth?: { readonly user: string; readonly pass: string } | undefined
  readonly tls?: { readonly ca?: string | undefined; readonly rejectUnauthorized?: boolean | undefined } | undefined
  /** Connections that are kept open; 3 when left out. */
  readonly connections?: number | undefined
  /** Signs what goes out, where the server does not. */
  readonly dkim?: { readonly domainName: string; readonly keySelector: string; readonly privateKey: string } | undefined
}

/** The mailbox that mail is fetched from. */
export interface ImapInbound {
  readonly host: string
  readonly port: number
  readonly secure?: boolean | undefined
  readonly auth: { readonly user: string; readonly pass: string }
  readonly tls?: { readonly ca?: string | undefined; readonly rejectUnauthorized?: boolean | undefined } | undefined
  /** `INBOX` when left out. */
  readonly mailbox?: string | undefined
  /**
   * The name by which the server in front of the mailbox signs its Authentication-Results. It must remove headers that
   * others have written in its name. Without it, signatures are checked here.
   */
  readonly authservId?: string | undefined
}

/** The receiver that other servers deliver to. */
export interface SmtpInbound {
  readonly port: number
  /** The address to listen on; all when left out. */
  readonly host?: string | undefined
  /** With it senders may use STARTTLS. */
  readonly tls?: { readonly key: string; readonly cert: string } | undefined
  /** Connections at the same time; 100 when left out. */
  readonly connections?: number | undefined
  /** Connections of one network (an IPv4 address, or the first half of an IPv6 address) at the same time; 20. */
  readonly maxNetworkConnections?: number | undefined
  /** Bytes of mails that are on their way in, of all connections together; 64 MB. One network may take half of it. */
  readonly maxHeldBytes?: number | undefined
  /** How long a mail may take from DATA to its end; 2 minutes. A connection may take five times as long. */
  readonly dataTimeoutMs?: number | undefined
  /** How long a client may say nothing; 30 seconds. */
  readonly idleTimeoutMs?: number | undefined
}

/** The limits of mail; what is left out has a default. */
export interface EmailLimits {
  /** The largest mail that is taken; 25 MB. */
  readonly mailBytes?: number | undefined
  /** Files of one mail; 20. */
  readonly attachments?: number | undefined
  /** What is attached to an answer at the most; 15 MB. Files beyond it are linked, or named only. */
  readonly attachedBytes?: number | undefined
  /** Mails to one address within an hour, over all its conversations; 30. Further ones are sent later. */
  readonly mailsPerHour?: number | undefined
  /** Mails to one address within a day; 200. */
  readonly mailsPerDay?: number | undefined
  /** Mails to all addresses together within an hour; 1,000. */
  readonly totalPerHour?: number | undefined
  /** Notices, such as that an answer was not clear, to one person and hour; 5. Further ones are not sent. */
  readonly noticesPerHour?: number | undefined
  /** Notices to senders who could not be authenticated, to all of them together within a day; 100. One address gets one. */
  readonly noticesPerDay?: number | undefined
  /** Mails that are taken from one address within an hour; 30. Further ones are refused for now. */
  readonly senderPerHour?: number | undefined
  /** Mails that are taken from all addresses of one domain within an hour; 300. */
  readonly domainPerHour?: number | undefined
  /** Requests for approvals that one address gets in mails of their own within ten minutes; 5. Further ones are gathered. */
  readonly asksPerWindow?: number | undefined
  /** Conversations that one address may begin within an hour; 20. A day has five times as many. */
  readonly conversationsPerHour?: number | undefined
}

/** The agent's address, how mail goes out and comes in, and the limits. */
export interface EmailChannelOptions extends ContextOptions {
  /** The agent's address; `agent+…@` must reach it too. */
  readonly address: string
  /** The name that readers see; the agent's when left out. */
  readonly name?: string | undefined
  readonly outbound: MailOutbound
  /** At least one of `imap` and `smtp` for an agent that can be written to. */
  readonly imap?: ImapInbound | undefined
  readonly smtp?: SmtpInbound | undefined
  /** The owner of this address, once it is proven that the mail is from there; a user of that address when left out. */
  readonly principalOf?: ((address: string) => Principal | undefined | Promise<Principal | undefined>) | undefined
  /**
   * Whether mail that is not proven authentic is accepted, as from a guest; false when left out, since the person who
   * is named as its sender gets the answers. Such a sender gets one fixed notice a day instead. Forged mail is never
   * accepted.
   */
  readonly guests?: boolean | undefined
  /** For tests, or for a resolver of one's own. */
  readonly dns?: DnsResolver | undefined
  /** How data is attached to answers; it is not when this is left out, and no sender asks by `agent+json@` or `agent+csv@`. */
  readonly data?: DataFormat | undefined
  readonly limits?: EmailLimits | undefined
  readonly push?: PushPolicy | undefined
}

/** In which form data is attached to a mail. */
export type DataFormat = 'json' | 'csv'

export function isDataFormat(value: unknown): value is DataFormat {
  return value === 'json' || value === 'csv'
}

export const defaultLimits = {
  mailBytes: 25 * 1024 * 1024,
  attachments: 20,
  attachedBytes: 15 * 1024 * 1024,
  mailsPerHour: 30,
  mailsPerDay: 200,
  totalPerHour: 1_000,
  noticesPerHour: 5,
  noticesPerDay: 100,
  senderPerHour: 30,
  domainPerHour: 300,
  conversationsPerHour: 20,
  asksPerWindow: 5,
} as const satisfies AllGiven<EmailLimits>
