import { useSurroundings } from './context.ts'
import { actionLabel, type MessageExchange } from '@cool-ai/beach-client/view'
import type { Pending } from '@cool-ai/beach-client'

interface MessageViewProps {
  readonly message: MessageExchange
  /** True when the turn before it waits for a decision. */
  readonly isBehind: boolean
}

/** Something that the user said or did. It is text, and shown as it was typed. */
export function MessageView({ message: { text, part, pending }, isBehind }: MessageViewProps) {
  const said = text === '' && part !== undefined ? actionLabel(part) : text
  return (
    <div class="mine">
      <div class={pending === undefined ? 'part user' : 'part user pending'}>{said}</div>
      {pending !== undefined && <Delivery pending={pending} />}
      {isBehind && (
        <p class="delivery" role="status">
          Answered once the request is decided
        </p>
      )}
    </div>
  )
}

function Delivery({ pending }: { readonly pending: Pending }) {
  const { chat } = useSurroundings()
  const { state, error } = pending
  switch (state) {
    case 'sending':
    case 'sent':
      return <p class="delivery hidden">Sending</p>
    case 'waiting':
      return <p class="delivery">{error === undefined ? 'Waiting' : 'Waiting for the connection'}</p>
    case 'failed':
      return (
        <div class="delivery failed">
          <span>{error?.message ?? 'This message could not be sent.'}</span>
          <button class="button small" type="button" onClick={() => void pending.retry().catch(() => {})}>
            Try again
          </button>
          <button class="button small" type="button" onClick={() => pending.discard()}>
            Discard
          </button>
          {error?.code === 'SESSION_FULL' && (
            <button class="button small" type="button" onClick={() => void chat.fresh()}>
              New conversation
            </button>
          )}
        </div>
      )
  }
}
