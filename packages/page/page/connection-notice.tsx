import type { Connection } from '@cool-ai/beach-client'
import { useEffect, useState } from 'preact/hooks'
import { useSurroundings } from './context.ts'
import { useNow } from './use-now.ts'

interface ConnectionNoticeProps {
  readonly connection: Connection
  readonly fault: string | undefined
}

/** Why nothing gets through, and what can be done. It is only there when something is wrong. */
export function ConnectionNotice({ connection, fault }: ConnectionNoticeProps) {
  const { chat } = useSurroundings()
  if (fault !== undefined) {
    return (
      <div class="notice bad">
        <span>{fault}</span>
        <button class="button small" type="button" onClick={() => void chat.fresh()}>
          New conversation
        </button>
      </div>
    )
  }
  const { state, retryAt, error } = connection
  if (state === 'closed' && error !== undefined) {
    return (
      <div class="notice bad">
        <span>{error.message}</span>
        <button class="button small" type="button" onClick={() => location.reload()}>
          Load the page again
        </button>
      </div>
    )
  }
  return error === undefined || state === 'open' ? null : <Lost state={state} retryAt={retryAt} />
}

interface LostProps {
  readonly state: Connection['state']
  readonly retryAt: number | undefined
}

/** Most lost connections are back before the user needs to know. */
const shownAfterMs = 700

function Lost({ state, retryAt }: LostProps) {
  const { chat } = useSurroundings()
  const [visible, setVisible] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setVisible(true), shownAfterMs)
    return () => clearTimeout(timer)
  }, [])
  if (!visible) return null
  return (
    <div class="notice">
      <span>
        {state === 'offline' ? 'You are offline.' : 'The connection is lost.'} What you write is sent when it is back.{' '}
        {retryAt === undefined ? 'Trying again…' : <Countdown until={retryAt} />}
      </span>
      <button class="button small" type="button" onClick={() => chat.reconnect()}>
        Try now
      </button>
    </div>
  )
}

function Countdown({ until }: { readonly until: number }) {
  const seconds = Math.max(0, Math.ceil((until - useNow(1_000)) / 1_000))
  return <>{seconds === 0 ? 'Trying again…' : `Trying again in ${seconds}\u00a0s.`}</>
}
