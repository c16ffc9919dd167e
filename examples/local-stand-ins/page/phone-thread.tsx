import { Bubble } from './bubble.tsx'
import type { PhoneApp, PhoneMessage } from './shapes.ts'
import { Thread } from './thread.tsx'

interface PhoneThreadProps {
  readonly phone: string
  readonly app: PhoneApp
  readonly messages: readonly PhoneMessage[]
  readonly onChange: () => Promise<void>
}

const answers = { as: 'replyTo', label: 'Reply to', leave: 'Do not reply to it' } as const

/** What was said in one app of one phone. */
export function PhoneThread({ phone, app, messages, onChange }: PhoneThreadProps) {
  const found = (id: string | undefined) => messages.find((message) => message.id === id)
  return (
    <Thread
      app={app}
      path={`phones/${phone}/${app}`}
      messages={messages}
      empty="Nothing yet. Say something."
      answers={answers}
      onChange={onChange}
    >
      {({ post, answer }) =>
        messages.map((message) => (
          <Bubble
            key={message.id}
            app={app}
            message={message}
            answers={found(message.replyTo)}
            onTap={(title) => post({ tap: { message: message.id, title } })}
            {...(app === 'whatsapp' && !message.isMine && { onReply: () => answer(message) })}
          />
        ))
      }
    </Thread>
  )
}
