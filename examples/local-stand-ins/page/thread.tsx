import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Icon } from '@cool-ai/beach-page/page/icon'
import { call } from './api.ts'
import { Bubble } from './bubble.tsx'
import type { PhoneApp, PhoneMessage } from './shapes.ts'
import { useSending } from './use-sending.ts'

interface ThreadProps {
  readonly phone: string
  readonly app: PhoneApp
  readonly messages: readonly PhoneMessage[]
  readonly onChange: () => Promise<void>
}

/** What was said in one app of one phone, and the field to say more. */
export function Thread({ phone, app, messages, onChange }: ThreadProps) {
  const [text, setText] = useState('')
  const [replyTo, setReplyTo] = useState<PhoneMessage>()
  const { isSending, problem, send } = useSending()
  const list = useRef<HTMLOListElement>(null)
  useLayoutEffect(() => {
    list.current?.scrollTo({ top: list.current.scrollHeight })
  }, [messages.length])
  const post = async (body: unknown): Promise<boolean> => {
    const isSent = await send(() => call(`phones/${phone}/${app}`, body))
    if (isSent) await onChange()
    return isSent
  }
  const submit = async (event: Event) => {
    event.preventDefault()
    if (text.trim() === '' || isSending) return
    if (!(await post({ text, replyTo: replyTo?.id }))) return
    setText('')
    setReplyTo(undefined)
  }
  const answered = (id: string | undefined) => messages.find((message) => message.id === id)
  return (
    <>
      <ol class={`messages ${app}`} aria-label="Messages" aria-live="polite" tabIndex={0} ref={list}>
        {messages.length === 0 && <li class="notice">Nothing yet. Say something.</li>}
        {messages.map((message) => (
          <Bubble
            key={message.id}
            app={app}
            message={message}
            answers={answered(message.replyTo)}
            onTap={(title) => void post({ tap: { message: message.id, title } })}
            {...(app === 'whatsapp' && !message.isMine && { onReply: () => setReplyTo(message) })}
          />
        ))}
      </ol>
      {problem !== undefined && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {replyTo !== undefined && (
        <p class="replying">
          <span>Reply to: {replyTo.text}</span>
          <button
            class="icon-button"
            type="button"
            aria-label="Do not reply to it"
            onClick={() => setReplyTo(undefined)}
          >
            <Icon name="close" />
          </button>
        </p>
      )}
      <form class="say" onSubmit={(event) => void submit(event)}>
        <label class="hidden" for="say">
          Message
        </label>
        <input
          id="say"
          type="text"
          autocomplete="off"
          placeholder="Message"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button class="icon-button go" type="submit" aria-label="Send" disabled={isSending || text.trim() === ''}>
          <Icon name="send" />
        </button>
      </form>
    </>
  )
}
