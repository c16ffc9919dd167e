import type { MailSummary } from './shapes.ts'
import { shortTime } from './times.ts'

interface MailListProps {
  readonly mails: readonly MailSummary[]
  readonly open: string | undefined
  readonly onOpen: (mail: MailSummary) => void
}

/** The mails of one person, the newest first. */
export function MailList({ mails, open, onOpen }: MailListProps) {
  if (mails.length === 0) return <p class="notice">No mail yet.</p>
  return (
    <ul class="mails">
      {mails.map((mail) => (
        <li key={mail.id}>
          <button
            type="button"
            class={mail.isNew ? 'mail new' : 'mail'}
            aria-current={mail.id === open}
            onClick={() => onOpen(mail)}
          >
            <span class="line">
              <span class="who">{mail.isMine ? `To ${mail.to}` : mail.from}</span>
              <time>{shortTime(mail.at)}</time>
            </span>
            <span class="subject">
              {mail.isNew && <span class="hidden">New: </span>}
              {mail.subject || '(no subject)'}
            </span>
            <span class="minor">{mail.excerpt}</span>
          </button>
        </li>
      ))}
    </ul>
  )
}
