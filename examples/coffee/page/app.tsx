/** @jsxImportSource react */
import { useEnvelope } from '@cool-ai/beach-client/react'
import type { Conversation } from '@cool-ai/beach-client'
import { FlowHost, FlowProvider, type FlowComponents } from '@intentflow/core/react'
import type { FlowClient } from '@intentflow/core/client'
import { lazy, useMemo, useState, useSyncExternalStore } from 'react'
import { Composer } from './composer.tsx'
import { TalkContext } from './context.ts'
import { DeviceSheet } from './device-sheet.tsx'
import { Clarify } from './flows/clarify.tsx'
import { OrderCancel } from './flows/order-cancel.tsx'
import { OrderPlace } from './flows/order-place.tsx'
import { OrderTrack } from './flows/order-track.tsx'
import { Head } from './head.tsx'
import { JoinSheet } from './join-sheet.tsx'
import { Transcript } from './transcript-view.tsx'
import { transcriptOf } from './transcript.ts'
import type { Visit } from './visit.ts'

/** What shows the flows; those that few need come when they are needed. */
const components: FlowComponents = {
  'order.place': { component: OrderPlace, title: 'Your order' },
  'order.track': { component: OrderTrack, title: 'Where your order is' },
  'order.cancel': { component: OrderCancel, title: 'Cancel the order' },
  'intentflow.clarify': { component: Clarify, title: 'A question' },
  'menu.browse': {
    component: lazy(async () => ({ default: (await import('./flows/menu-browse.tsx')).MenuBrowse })),
    title: 'Menu',
  },
  'account.update_payment': {
    component: lazy(async () => ({ default: (await import('./flows/update-payment.tsx')).UpdatePayment })),
    title: 'Payment',
  },
}

/** The whole page. */
export function App({ visit, code: given }: { readonly visit: Visit; readonly code: string | undefined }) {
  const place = useSyncExternalStore(visit.subscribe, visit.getSnapshot)
  const [code, setCode] = useState(given)
  if (code !== undefined) {
    const answer = (joins: boolean) => {
      setCode(undefined)
      void (joins ? visit.join(code) : visit.start())
    }
    return <JoinSheet onAnswer={answer} />
  }
  if (place.kind === 'open') return <Shop key={place.conversation.sessionId} visit={visit} {...place} />
  return (
    <div className="shell">
      <Head />
      <main className="empty">
        {place.kind === 'opening' ? (
          <p role="status">Opening the shop…</p>
        ) : (
          <>
            <p role="alert">{place.message}</p>
            <button className="button primary" type="button" onClick={() => void visit.start()}>
              Try again
            </button>
          </>
        )}
      </main>
    </div>
  )
}

interface ShopProps {
  readonly visit: Visit
  readonly conversation: Conversation
  readonly flows: FlowClient
}

function Shop({ visit, conversation, flows }: ShopProps) {
  const { parts, turns, pending, connection, send } = useEnvelope(conversation)
  const entries = useMemo(() => transcriptOf(parts), [parts])
  const [isLinking, setLinking] = useState(false)
  const lastWords = entries.findLast((entry) => entry.kind === 'said' && entry.role === 'agent')
  const talk = useMemo(
    () => ({
      // What failed stays in sight, so the result is not awaited here.
      say: (text: string) => void send(text).catch(() => {}),
      lastWords: lastWords?.kind === 'said' ? lastWords.text : undefined,
    }),
    [send, lastWords],
  )
  return (
    <FlowProvider client={flows} components={components}>
      <TalkContext.Provider value={talk}>
        <div className="shell">
          <Head connection={connection} onDevice={() => setLinking(true)} onFresh={() => void visit.fresh()} />
          <Transcript entries={entries} pending={pending} isThinking={turns.some(({ settled }) => !settled)} />
          <Composer isEmpty={entries.length === 0 && pending.length === 0} />
        </div>
        <FlowHost modes={['modal', 'sheet', 'fullscreen']} />
        {isLinking && <DeviceSheet conversation={conversation} onClose={() => setLinking(false)} />}
      </TalkContext.Provider>
    </FlowProvider>
  )
}
