import { useEffect, useState } from 'preact/hooks'
import { pollWhileVisible } from './poll-while-visible.ts'

const everyMs = 2_000

/** What is told of a page of this machine: how much is new there, or that this browser may not open it. */
export type News = { readonly count: number } | { readonly isOpen: false }

/** What an address tells, undefined until it does; polled while the page is visible. */
export function useNews(address: string | undefined): News | undefined {
  const [news, setNews] = useState<News>()
  useEffect(() => {
    if (address === undefined) return
    return pollWhileVisible(async () => {
      if (navigator.onLine) setNews(await newsAt(address))
    }, everyMs)
  }, [address])
  return news
}

async function newsAt(address: string): Promise<News | undefined> {
  try {
    const { count, isOpen } = (await (await fetch(address)).json()) as { count?: unknown; isOpen?: unknown }
    if (isOpen === false) return { isOpen }
    return typeof count === 'number' ? { count } : undefined
  } catch {
    // Whether the agent can be reached is said elsewhere on the page.
    return undefined
  }
}
