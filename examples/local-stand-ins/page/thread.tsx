import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Icon } from '@cool-ai/beach-page/page/icon'
import { call } from './api.ts'
import type { ChatMessage, PhoneApp, PhoneMessage } from './shapes.ts'
import { useSending } from './use-sending.ts'

type Message = PhoneMessage | ChatMessage

/** What can be done from within a thread's messages. */
interface ThreadActs {
  readonly post: (body: unknown) => void
  readonly answer: (message: Message) => void
}

interface ThreadProps {
  readonly app: PhoneApp | 'chat'
  /** Where what is said goes. */
  readonly path: string
  readonly messages: readonly Message[]
  /** What is said where there is no message yet. */
  readonly empty: string
  /** The member that names the message which the next one answers, and the words for it above the field. */
  readonly answers: {
    readonly as: 'replyTo' | 'thread'
    readonly label: string
    readonly leave: string
    /** True where one stays with the message until one leaves it. */
    readonly stays?: boolean
  }
  /** What a message that answers none begins with. */
  readonly begin?: string | undefined
  readonly onChange: () => Promise<void>
  /** What came of what was posted. */
  readonly onPosted?: (value: unknown) => void
  /** The messages, as items of a list. */
  readonly children: (acts: ThreadActs) => ComponentChildren
}

/** What was said in one place, and the field to say more. */
export function Thread({ app, path, messages, empty, answers, begin, onChange, onPosted, children }: ThreadProps) {
  const [text, setText] = useState('')
  const [answered, setAnswered] = useState<Message>()
  const { isSending, problem, send } = useSending()
  const list = useRef<HTMLOListElement>(null)
  const field = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    list.current?.scrollTo({ top: list.current.scrollHeight })
  }, [messages.length])
  const post = async (body: unknown): Promise<boolean> => {
    const isSent = await send(async () => {
      const value = await call<unknown>(path, body)
      onPosted?.(value)
    })
    if (isSent) await onChange()
    return isSent
  }
  const submit = async (event: Event) => {
    event.preventDefault()
    if (text.trim() === '' || isSending) return
    if (!(await post({ text, [answers.as]: answered?.id }))) return
    setText('')
    if (!answers.stays) setAnswered(undefined)
  }
  const acts: ThreadActs = {
    post: (body) => void post(body),
    answer: (message) => {
      setAnswered(message)
      field.current?.focus()
    },
  }
  const opening = answered === undefined ? begin : undefined
  return (
    <>
      <ol class={`messages ${app}`} aria-label="Messages" aria-live="polite" tabIndex={0} ref={list}>
        {messages.length === 0 && <li class="notice">{empty}</li>}
        {children(acts)}
      </ol>
      {problem !== undefined && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {answered !== undefined && (
        <p class="replying">
          <span>
            {answers.label}: {answered.text}
          </span>
          <button
            class="icon-button"
            type="button"
            aria-label={answers.leave}
            onClick={() => {
              setAnswered(undefined)
              field.current?.focus()
            }}
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
          ref={field}
          placeholder={opening === undefined ? 'Message' : `${opening}…`}
          value={text}
          onFocus={() => {
            if (text === '' && opening !== undefined) setText(opening)
          }}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button class="icon-button go" type="submit" aria-label="Send" disabled={isSending || text.trim() === ''}>
          <Icon name="send" />
        </button>
      </form>
    </>
  )
}
