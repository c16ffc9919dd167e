import { useMemo } from 'preact/hooks'
import { AnswerView } from './answer-view.tsx'
import type { Scene } from './chat.ts'
import { Icon } from './icon.tsx'
import { MessageView } from './message-view.tsx'
import type { Exchange, MessageExchange } from '@cool-ai/beach-client/view'
import { useFollowing } from './use-following.ts'
import { Welcome } from './welcome.tsx'
import { Working } from './working.tsx'

/** What was said, oldest first. It follows what comes, unless the reader has gone back to read. */
export function ConversationView({ scene }: { readonly scene: Scene }) {
  const { exchanges, sessionId } = scene
  const sent = exchanges.filter(({ kind }) => kind === 'message').length
  const { scroller, away, toLatest } = useFollowing(`${sessionId} ${sent}`)
  const last = exchanges.at(-1)
  // Between a message and the first word of its answer there is nothing to see yet.
  const waits = last?.kind === 'message' && isWithAgent(last) && !exchanges.some(isWorking)
  const behind = waitsForDecision(scene) ? last : undefined
  return (
    <div class="stage">
      <main id="conversation" ref={scroller} aria-label="Conversation" tabIndex={-1}>
        <div class="flow">
          {exchanges.length === 0 && <Welcome />}
          {exchanges.map((exchange) => (
            <ExchangeView key={exchange.key} exchange={exchange} isBehind={exchange === behind} />
          ))}
          {waits && <Working />}
        </div>
      </main>
      {away && (
        <button class="button small latest" type="button" onClick={toLatest}>
          <Icon name="down" />
          To the latest
        </button>
      )}
    </div>
  )
}

/** Whether the agent has a message, or gets it right now; what waits for the connection says so itself. */
function isWithAgent({ pending }: MessageExchange): boolean {
  return pending === undefined || pending.state === 'sending' || pending.state === 'sent'
}

/** Whether the last message has come behind a turn that waits for a decision. */
function waitsForDecision({ exchanges, approvals }: Scene): boolean {
  const last = exchanges.at(-1)
  return last?.kind === 'message' && isWithAgent(last) && approvals.some(({ outcome }) => outcome === undefined)
}

/** Whether an answer shows that it is being worked on. */
function isWorking(exchange: Exchange): boolean {
  return exchange.kind === 'answer' && exchange.turn?.settled === false
}

/** One exchange; it is drawn again only when it has changed. */
function ExchangeView({ exchange, isBehind }: { readonly exchange: Exchange; readonly isBehind: boolean }) {
  return useMemo(
    () =>
      exchange.kind === 'message' ? (
        <MessageView message={exchange} isBehind={isBehind} />
      ) : (
        <AnswerView answer={exchange} />
      ),
    [exchange, isBehind],
  )
}
