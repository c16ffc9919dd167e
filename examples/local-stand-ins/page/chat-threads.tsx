import { useState } from 'preact/hooks'
import { call } from './api.ts'
import { ChatFormDialog } from './chat-form.tsx'
import { Said } from './said.tsx'
import type { ChatForm, ChatMessage, ChatPlace } from './shapes.ts'
import { Thread } from './thread.tsx'
import { useSending } from './use-sending.ts'

interface ChatThreadsProps {
  readonly person: string
  readonly place: ChatPlace
  readonly agent: string
  readonly messages: readonly ChatMessage[]
  readonly onChange: () => Promise<void>
}

const answers = { as: 'thread', label: 'In the thread', leave: 'Leave the thread', stays: true } as const

/** What was said in one place of the work chat, threads below what began them. */
export function ChatThreads({ person, place, agent, messages, onChange }: ChatThreadsProps) {
  const [form, setForm] = useState<ChatForm>()
  const { problem, send } = useSending()
  const isChannel = place === 'channel'
  const ids = new Set(messages.map(({ id }) => id))
  const roots = messages.filter((message) => message.thread === undefined || !ids.has(message.thread))
  const path = `chats/${person}/${place}`
  const submit = async (sent: ChatForm, values: Readonly<Record<string, string>>) => {
    if (!(await send(() => call(path, { submit: { form: sent.id, values } })))) return
    setForm(undefined)
    await onChange()
  }
  return (
    <>
      <Thread
        app="chat"
        path={path}
        messages={messages}
        empty={isChannel ? `Nothing yet. Mention ${agent} to begin a thread.` : 'Nothing yet. Say something.'}
        answers={answers}
        begin={isChannel ? `@${agent} ` : undefined}
        onChange={onChange}
        onPosted={(value) => setForm(value as ChatForm | undefined)}
      >
        {({ post, answer }) => {
          const said = (message: ChatMessage) => (
            <Said
              key={message.id}
              message={message}
              onPress={(label) => post({ press: { message: message.id, label } })}
            />
          )
          return roots.map((root) => {
            const replies = messages.filter((message) => message.thread === root.id)
            return (
              <li key={root.id} class="thread">
                {said(root)}
                {replies.length > 0 && <div class="replies">{replies.map(said)}</div>}
                {isChannel && (
                  <button class="plain-button" type="button" onClick={() => answer(root)}>
                    Reply in thread
                  </button>
                )}
              </li>
            )
          })
        }}
      </Thread>
      <ChatFormDialog
        form={form}
        problem={problem}
        onSubmit={(sent, values) => void submit(sent, values)}
        onClose={() => setForm(undefined)}
      />
    </>
  )
}
