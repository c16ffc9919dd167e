import { pollWhileVisible } from '@cool-ai/beach-page/page/poll-while-visible'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { call } from './api.ts'

export interface Polled<Value> {
  readonly value: Value | undefined
  /** Why it could not be read the last time. */
  readonly problem: string | undefined
  readonly refresh: () => Promise<void>
}

const everyMs = 1_000

/** Something under `/local/api`, polled while the page is visible. */
export function usePolled<Value>(path: string): Polled<Value> {
  const [value, setValue] = useState<Value>()
  const [problem, setProblem] = useState<string>()
  const last = useRef('')
  const refresh = useCallback(async () => {
    try {
      const read = await call<Value>(path)
      setProblem(undefined)
      // What has not changed is not drawn again.
      const text = JSON.stringify(read)
      if (text === last.current) return
      last.current = text
      setValue(read)
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
    }
  }, [path])
  useEffect(() => pollWhileVisible(refresh, everyMs), [refresh])
  return { value, problem, refresh }
}

/** How much is new in a place. */
export function useNews(place: 'mailbox' | 'phone' | 'chat'): number {
  return usePolled<{ readonly count: number }>(`news/${place}`).value?.count ?? 0
}
