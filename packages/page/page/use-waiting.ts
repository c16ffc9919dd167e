import { useEffect, useState } from 'preact/hooks'

// Relative to the page, which may be below a path.
export const inbox = './approvals'

/** What waits for this user's decision, over all conversations and agents, as the agent's inbox has it. */
export interface Waiting {
  readonly count: number
  /** Whether a request of this conversation is this user's to decide; undefined until the inbox has answered. */
  readonly isOwn: (approvalId: string) => boolean | undefined
}

export const noWaiting: Waiting = { count: 0, isOwn: () => undefined }

/** Asked again when requests of this conversation come or go, and when the user comes back to the page. */
export function useWaiting(open: readonly string[]): Waiting {
  const [waiting, setWaiting] = useState(noWaiting)
  const asked = open.join(' ')
  useEffect(() => {
    const end = new AbortController()
    const about = new Set(asked.split(' '))
    const ask = () =>
      void read(end.signal).then(
        (found) => setWaiting(waitingOf(found, about)),
        // Where the inbox does not answer, what comes of a decision says whether it counts.
        () => end.signal.aborted || setWaiting(({ count }) => ({ count, isOwn: (id) => about.has(id) || undefined })),
      )
    const onShow = () => document.hidden || ask()
    document.addEventListener('visibilitychange', onShow)
    ask()
    return () => {
      end.abort()
      document.removeEventListener('visibilitychange', onShow)
    }
  }, [asked])
  return waiting
}

interface Inbox {
  readonly items?: readonly { readonly approvalId: string }[]
  readonly next?: string
}

type JoinedInbox = Inbox & { readonly agents?: readonly Inbox[] }

async function read(signal: AbortSignal): Promise<JoinedInbox> {
  const response = await fetch(inbox, { signal, headers: { accept: 'application/json' } })
  if (!response.ok) throw new Error(`The inbox answered ${response.status}.`)
  return (await response.json()) as JoinedInbox
}

/** A request that came after the question is in none of the answers: whose it is, the next one says. */
function waitingOf({ agents = [], ...own }: JoinedInbox, about: ReadonlySet<string>): Waiting {
  const listed = new Set(own.items?.map(({ approvalId }) => approvalId))
  return {
    count: [own, ...agents].reduce((count, { items = [] }) => count + items.length, 0),
    isOwn: (id) => (about.has(id) ? listed.has(id) || own.next !== undefined : undefined),
  }
}
