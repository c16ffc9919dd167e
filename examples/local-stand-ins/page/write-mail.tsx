import { useState } from 'preact/hooks'
import { call } from './api.ts'
import { useSending } from './use-sending.ts'

interface WriteMailProps {
  readonly person: string
  readonly to: string
  /** The mail that it answers; a new one otherwise. */
  readonly answers?: string
  readonly onSent: () => Promise<void>
}

/** A mail that is being written. */
export function WriteMail({ person, to, answers, onSent }: WriteMailProps) {
  const [subject, setSubject] = useState('')
  const [text, setText] = useState('')
  const { isSending, problem, send } = useSending()
  const isAnswer = answers !== undefined
  const submit = async (event: Event) => {
    event.preventDefault()
    const mail = isAnswer ? { answers } : { subject }
    const isSent = await send(async () => {
      await call('mails', { neighbour: person, text, ...mail })
    })
    if (isSent) await onSent()
  }
  return (
    <form class="write" onSubmit={(event) => void submit(event)}>
      {!isAnswer && <h1>To {to}</h1>}
      {!isAnswer && (
        <label>
          Subject
          <input type="text" value={subject} onInput={(event) => setSubject(event.currentTarget.value)} />
        </label>
      )}
      <label>
        {isAnswer ? `Reply to ${to}` : 'Message'}
        <textarea
          rows={isAnswer ? 3 : 10}
          required
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      {problem !== undefined && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <button class="button primary" type="submit" disabled={isSending || text.trim() === ''}>
        {isSending ? 'Sending…' : 'Send'}
      </button>
    </form>
  )
}
