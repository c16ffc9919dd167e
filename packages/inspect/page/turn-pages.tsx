import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { ApiError } from './api.ts'
import { Empty, Problem } from './bits.tsx'
import type { SessionDetail, TurnPage, TurnSpan } from './types.ts'
import { useData } from './use-data.ts'

interface TurnPagesProps {
  readonly place: string
  readonly session: SessionDetail
  /** The page to begin with; the last one when left out. */
  readonly first?: number | undefined
  readonly children: (turns: readonly TurnSpan[]) => ComponentChildren
}

/** Turns page by page, the last page first; it is read again when the session grows. */
export function TurnPages({ place, session, first, children }: TurnPagesProps) {
  const [chosen, setChosen] = useState<number | undefined>(first)
  const last = Math.max(0, session.turnPages - 1)
  const page = chosen ?? last
  // The head in the path makes it another path once the session has grown.
  const { value, error } = useKept(
    useData<TurnPage>(`${place}/turns?page=${page}&head=${page === last ? session.head : 0}`),
  )
  return (
    <div class="turn-pages">
      {session.turnPages > 1 && (
        <nav class="pager" aria-label="Pages of turns">
          <button type="button" disabled={page === 0} onClick={() => setChosen(page - 1)}>
            Earlier
          </button>
          <span>
            Turns {page * 20 + 1}–{Math.min((page + 1) * 20, session.turns)} of {session.turns}
          </span>
          <button
            type="button"
            disabled={page >= last}
            onClick={() => setChosen(page + 1 >= last ? undefined : page + 1)}
          >
            Later
          </button>
        </nav>
      )}
      <Problem error={error} />
      {value !== undefined && (value.items.length === 0 ? <Empty>No turns yet.</Empty> : children(value.items))}
    </div>
  )
}

/** The last value while the next one is on its way. */
function useKept<Value>(loaded: { readonly value?: Value | undefined; readonly error?: ApiError | undefined }) {
  const [kept, setKept] = useState(loaded.value)
  if (loaded.value !== undefined && loaded.value !== kept) setKept(loaded.value)
  return { value: loaded.value ?? kept, error: loaded.error }
}
