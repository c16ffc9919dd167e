import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Icon } from '@cool-ai/beach-page/page/icon'
import { call } from './api.ts'
import { Said } from './said.tsx'
import type { ChatMessage, ChatPlace } from './shapes.ts'
import { useSending } from './use-sending.ts'

interface ChatThreadsProps {
  readonly person: string
  readonly place: ChatPlace
  readonly agent: string
  readonly messages: readonly ChatMessage[]
  readonly onChange: () => Promise<void>
}

/** What was said in one place of the work chat, threads below what began them, and the field to say more. */
export function ChatThreads({ person, place, agent, messages, onChange }: ChatThreadsProps) {
  const [text, setText] = useState('')
  const [thread, setThread] = useState<ChatMessage>()
  const { isSending, problem, send } = useSending()
  const list = useRef<HTMLOListElement>(null)
  const field = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    list.current?.scrollTo({ top: list.current.scrollHeight })
  }, [messages.length])
  const post = async (body: unknown): Promise<boolean> => {
    const isSent = await send(() => call(`chats/${person}/${place}`, body))
    if (isSent) await onChange()
    return isSent
  }
  const submit = async (event: Event) => {
    event.preventDefault()
    if (text.trim() === '' || isSending) return
    if (await post({ text, thread: thread?.id })) setText('')
  }
  const answer = (message: ChatMessage) => {
    setThread(message)
    field.current?.focus()
  }
  const ids = new Set(messages.map(({ id }) => id))
  const roots = messages.filter((message) => message.thread === undefined || !ids.has(message.thread))
  const said = (message: ChatMessage) => (
    <Said
      key={message.id}
      message={message}
      onPress={(label) => void post({ press: { message: message.id, label } })}
    />
  )
  const begin = `@${agent} `
  return (
    <>
      <ol class="messages chat" aria-label="Messages" aria-live="polite" tabIndex={0} ref={list}>
        {messages.length === 0 && (
          <li class="notice">
            {place === 'channel' ? `Nothing yet. Mention ${agent} to begin a thread.` : 'Nothing yet. Say something.'}
          </li>
        )}
        {roots.map((root) => {
          const replies = messages.filter((message) => message.thread === root.id)
          return (
            <li key={root.id} class="thread">
              {said(root)}
              {replies.length > 0 && <div class="replies">{replies.map(said)}</div>}
              {place === 'channel' && (
                <button class="plain-button" type="button" onClick={() => answer(root)}>
                  Reply in thread
                </button>
              )}
            </li>
          )
        })}
      </ol>
      {problem !== undefined && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {thread !== undefined && (
        <p class="replying">
          <span>In the thread: {thread.text}</span>
          <button class="icon-button" type="button" aria-label="Leave the thread" onClick={() => setThread(undefined)}>
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
          placeholder={place === 'channel' && thread === undefined ? `${begin}…` : 'Message'}
          value={text}
          onFocus={() => {
            if (text === '' && place === 'channel' && thread === undefined) setText(begin)
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
