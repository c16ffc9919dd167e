import { useEffect, useState } from 'preact/hooks'
import { useOpenApprovals } from './context.ts'
import { Icon } from './icon.tsx'

// Relative to the page, which may be below a path.
const inbox = './approvals'

/** The way to all that waits for this user's decision, over all conversations and agents, and how much that is. */
export function ApprovalsLink() {
  const count = useWaiting(useOpenApprovals())
  return (
    <div class="entry">
      <a href={inbox}>
        <Icon name="lock" />
        Approvals
        {count > 0 && (
          <span class="count">
            {count}
            <span class="hidden"> waiting</span>
          </span>
        )}
      </a>
    </div>
  )
}

/** How many wait; asked again when some of this conversation come or go, and when the user comes back to the page. */
function useWaiting(here: number): number {
  const [count, setCount] = useState(0)
  useEffect(() => {
    const end = new AbortController()
    const ask = () => void waiting(end.signal).then(setCount, () => {})
    const onShow = () => document.hidden || ask()
    document.addEventListener('visibilitychange', onShow)
    ask()
    return () => {
      end.abort()
      document.removeEventListener('visibilitychange', onShow)
    }
  }, [here])
  return count
}

interface Inbox {
  readonly items?: readonly unknown[]
}

async function waiting(signal: AbortSignal): Promise<number> {
  const response = await fetch(inbox, { signal, headers: { accept: 'application/json' } })
  const { agents = [], ...own } = (await response.json()) as Inbox & { readonly agents?: readonly Inbox[] }
  return [own, ...agents].reduce((count, { items = [] }) => count + items.length, 0)
}
