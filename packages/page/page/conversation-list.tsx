import { useSurroundings } from './context.ts'
import { Icon } from './icon.tsx'
import type { StoredConversation } from './scene/conversations.ts'

interface ConversationListProps {
  readonly conversations: readonly StoredConversation[]
  readonly current: string | undefined
  readonly onChoose: () => void
}

/** The conversations that this browser remembers. */
export function ConversationList({ conversations, current, onChoose }: ConversationListProps) {
  const { chat } = useSurroundings()
  return (
    <section aria-labelledby="conversations">
      <h2 id="conversations">Conversations</h2>
      {conversations.length === 0 && <p class="none">Conversations are listed here once you have started one.</p>}
      <ul class="entries">
        {conversations.map(({ sessionId, title }) => (
          <li key={sessionId} class={sessionId === current ? 'entry current' : 'entry'}>
            <button
              class="row"
              type="button"
              aria-current={sessionId === current}
              onClick={() => {
                chat.select(sessionId)
                onChoose()
              }}
            >
              <Icon name="chat" />
              <span>{title}</span>
            </button>
            <button
              class="icon-button"
              type="button"
              aria-label={`Remove “${title}” from this list`}
              onClick={() => chat.forget(sessionId)}
            >
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
