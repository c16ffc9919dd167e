import { useEffect, useState } from 'preact/hooks'
import { Icon } from '@cool-ai/beach-page/page/icon'
import { call } from './api.ts'
import type { MailDetail } from './shapes.ts'
import { longTime } from './times.ts'
import { WriteMail } from './write-mail.tsx'

interface MailViewProps {
  readonly id: string
  readonly person: string
  readonly agent: string
  readonly onSent: () => Promise<void>
}

/** One mail, with its files and a field to answer it. */
export function MailView({ id, person, agent, onSent }: MailViewProps) {
  const [mail, setMail] = useState<MailDetail>()
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    call<MailDetail>(`mails/${id}`).then(setMail, (error: Error) => setProblem(error.message))
  }, [id])
  if (mail === undefined) return <p class="notice">{problem ?? 'One moment…'}</p>
  return (
    <article class="letter">
      <header>
        <h1>{mail.subject || '(no subject)'}</h1>
        <p class="minor">
          From {mail.from} to {mail.to}, {longTime(mail.at)}
        </p>
      </header>
      {mail.hasHtml ? (
        // Nothing in it runs, and it cannot reach this page: its own headers say so once more.
        <iframe
          title="What the mail says"
          src={`/local/api/mails/${id}/html`}
          sandbox="allow-popups allow-popups-to-escape-sandbox"
        />
      ) : (
        <pre class="plain">{mail.text}</pre>
      )}
      {mail.files.length > 0 && (
        <ul class="files" aria-label="Files">
          {mail.files.map(({ name, bytes }, index) => (
            <li key={name}>
              <a class="button small" href={`/local/api/mails/${id}/files/${index}`} download={name}>
                <Icon name="download" />
                {name} <span class="minor">{Math.ceil(bytes / 1_024)} kB</span>
              </a>
            </li>
          ))}
        </ul>
      )}
      {!mail.isMine && <WriteMail person={person} to={agent} answers={id} onSent={onSent} />}
    </article>
  )
}
