import type { ConnectOptions } from '@cool-ai/beach-client'
import { useEnvelope } from '@cool-ai/beach-client/react'
import { useState, type FormEvent } from 'react'

/** The conversation: what was said, what is on its way, and approvals to decide. */
export function Chat({ session }: { readonly session: ConnectOptions }) {
  const { parts, pending, connection, send } = useEnvelope(session)
  const [text, setText] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() === '') return
    void send(text)
    setText('')
  }
  return (
    <>
      <h1>My agent</h1>
      <ol aria-live="polite">
        {parts.map(({ partId, partType, text: words }) =>
          words === undefined ? null : (
            <li key={partId} className={partType}>
              {words}
            </li>
          ),
        )}
        {pending.map(({ key, parts: [part] }) => (
          <li key={key} className="message pending">
            {part?.text}
          </li>
        ))}
      </ol>
      <form onSubmit={submit}>
        <input aria-label="Message" value={text} onChange={({ target }) => setText(target.value)} />
        <button>Send</button>
      </form>
      <p role="status">{connection.state}</p>
    </>
  )
}
