export { email, emailChannel, type EmailChannel } from './email-channel.ts'
export { emailPreview, type EmailPreviewOptions } from './email-preview.ts'
export { emailOriginator, type EmailAddressee } from './email-originator.ts'
export type { PlainMail } from './mail-sender.ts'
export type { SmtpLoad } from './smtp-load.ts'
export type {
  DataFormat,
  DnsResolver,
  EmailChannelOptions,
  EmailLimits,
  ImapInbound,
  MailOutbound,
  SmtpInbound,
} from './options.ts'
