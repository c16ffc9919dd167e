import { useEffect, useState } from 'preact/hooks'

const everyMs = 2_000

/** How much is new where an address says so; read again and again while somebody looks at the page. */
export function useNews(address: string): number {
  const [count, setCount] = useState(0)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let isOver = false
    const round = async () => {
      clearTimeout(timer)
      if (!document.hidden && navigator.onLine) setCount((await countAt(address)) ?? 0)
      if (!isOver) timer = setTimeout(() => void round(), everyMs)
    }
    const onShow = () => void round()
    document.addEventListener('visibilitychange', onShow)
    void round()
    return () => {
      isOver = true
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', onShow)
    }
  }, [address])
  return count
}

async function countAt(address: string): Promise<number | undefined> {
  try {
    const { count } = (await (await fetch(address)).json()) as { readonly count?: unknown }
    return typeof count === 'number' ? count : undefined
  } catch {
    // Whether the agent can be reached is said elsewhere on the page.
    return undefined
  }
}
