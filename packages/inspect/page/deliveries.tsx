import { useState } from 'preact/hooks'
import { act, type ApiError } from './api.ts'
import { Confirm, Empty, Json, More, Problem } from './bits.tsx'
import { counted, shortId, when } from './format.ts'
import type { Me } from './types.ts'
import { usePages } from './use-data.ts'

interface Letter {
  readonly sessionId: string
  readonly deliveryId: string
  readonly letter?: {
    readonly originatorId: string
    readonly attempts: number
    readonly at: number
    readonly reason?: string
  }
}

interface Parked {
  readonly transport: string
  readonly id: string
  readonly from: string
  readonly at: number
  readonly message: unknown
}

/** What could not be sent, and what could not be taken in. */
export function DeliveriesPage({ me }: { readonly me: Me }) {
  const letters = usePages<Letter>('dead-letters?limit=100', { everyMs: 3_000 })
  const parked = usePages<Parked>('put-aside?limit=100', { everyMs: 3_000 })
  const [error, setError] = useState<ApiError>()
  const run = (path: string, reload: () => void, method = 'POST') => {
    setError(undefined)
    act(`api/${path}`, undefined, method).then(reload, setError)
  }
  return (
    <div class="list">
      <h1>Deliveries</h1>
      <Problem error={error ?? letters.error ?? parked.error} />
      <h2>Dead letters</h2>
      {letters.value?.length === 0 && <Empty>Every delivery has arrived, or is still tried.</Empty>}
      {letters.value?.map(({ sessionId, deliveryId, letter }) => (
        <article class="card" key={deliveryId}>
          <h3>To {letter?.originatorId ?? deliveryId}</h3>
          <p>{letter?.reason ?? 'The session knows no more of it.'}</p>
          <p class="facts">
            {letter !== undefined && (
              <>
                given up {when(letter.at)} after {counted(letter.attempts, 'attempt')} ·{' '}
              </>
            )}
            <a href={`#/sessions/${encodeURIComponent(sessionId)}/timeline`}>{shortId(sessionId)}</a>
          </p>
          {me.mayAct && (
            <button
              type="button"
              onClick={() =>
                run(`dead-letters/${encodeURIComponent(sessionId)}/${encodeURIComponent(deliveryId)}`, letters.reload)
              }
            >
              Send again
            </button>
          )}
        </article>
      ))}
      <More label="More dead letters" more={letters.more} />
      <h2>Messages put aside</h2>
      {parked.value?.length === 0 && <Empty>Every message was dealt with.</Empty>}
      {parked.value?.map(({ transport, id, from, at, message }) => {
        const path = `put-aside/${encodeURIComponent(transport)}/${encodeURIComponent(id)}`
        return (
          <article class="card" key={id}>
            <h3>
              {transport} from {from}
            </h3>
            <p class="facts">{when(at)}</p>
            <Json value={message} />
            {me.mayAct && (
              <div class="actions">
                <button type="button" onClick={() => run(path, parked.reload)}>
                  Try again
                </button>
                <Confirm label="Throw away" onConfirm={() => run(path, parked.reload, 'DELETE')} />
              </div>
            )}
          </article>
        )
      })}
      <More label="More messages" more={parked.more} />
    </div>
  )
}
