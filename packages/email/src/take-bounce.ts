import { tagOf } from './address.ts'
import type { EmailContext } from './email-context.ts'
import { isMailName, ownMailId } from './mail-id.ts'
import type { ReadMail } from './read-mail.ts'

const maxReportLength = 20_000

/**
 * Notes that mail to an address bounces for good, so that no more is sent there. It counts only if it names one of our
 * mails, whose name no other sender can know, and only for that mail's recipient.
 */
export async function takeBounce(mail: ReadMail, recipients: readonly string[], context: EmailContext): Promise<void> {
  const { records, ours, host, runtime } = context
  const tags = [...recipients, ...mail.recipients].flatMap((address) => tagOf(ours, address) ?? [])
  const tagged = tags.flatMap((tag) => (tag.startsWith('t.') ? [tag.slice(2)] : []))
  const quoted = [...mail.inReplyTo, ...mail.references].flatMap((id) => ownMailId(id, host)?.mail ?? [])
  const name = [...tagged, ...quoted].find(isMailName)
  const sent = name === undefined ? undefined : await records.sentMail(name)
  if (sent === undefined) return
  const status = permanentStatus(mail)
  runtime.logger.log('warn', 'a mail of ours came back', { session: sent.session, status: status ?? 'for now' })
  if (status !== undefined) await records.markUndeliverable(sent.address, status)
}

/** The status of a permanent failure, such as `5.1.1`; undefined when the mail is only late. */
function permanentStatus(mail: ReadMail): string | undefined {
  const reports = mail.attachments
    .filter(({ mimeType }) => mimeType === 'message/delivery-status')
    .map(({ content }) =>
      typeof content === 'string' ? content : Buffer.from(content as ArrayBuffer).toString('latin1'),
    )
  const report = reports.join('\n').slice(0, maxReportLength)
  const [, status] = /^status:[ \t]*(5\.\d{1,3}\.\d{1,3})/im.exec(report) ?? []
  if (status !== undefined && /^action:[ \t]*failed/im.test(report)) return status
  return mail.has('x-failed-recipients') ? 'failed' : undefined
}
