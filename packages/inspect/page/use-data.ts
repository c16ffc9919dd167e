import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { ask, type ApiError } from './api.ts'
import type { Paged } from './types.ts'

export interface Loaded<Value> {
  readonly value?: Value | undefined
  readonly error?: ApiError | undefined
  readonly reload: () => void
}

/** The answer to a path; asked again every `everyMs`, where given, while the page is seen. */
export function useData<Value>(path: string | undefined, everyMs?: number): Loaded<Value> {
  return useLoaded(path, (signal) => ask<Value>(path ?? '', signal), { everyMs })
}

export interface LoadedPages<Item> extends Loaded<readonly Item[]> {
  /** Reads one more page; undefined when there is none. */
  readonly more: (() => void) | undefined
}

interface Again {
  /** Asked again so often. */
  readonly everyMs?: number | undefined
  /** Asked again when this changes. */
  readonly version?: number | undefined
}

/** The items of a path with a query: of the first page and, once they were asked for, of those that follow. */
export function usePages<Item>(path: string, again: Again = {}): LoadedPages<Item> {
  const pages = useRef(1)
  const read = async (signal: AbortSignal) => {
    const items: Item[] = []
    let next: string | number | undefined
    for (let page = 0; page < pages.current; page++) {
      const after = next === undefined ? '' : `&after=${encodeURIComponent(next)}`
      const answer = await ask<Paged<Item>>(path + after, signal)
      items.push(...answer.items)
      next = answer.next
      if (next === undefined) break
    }
    return { items, next }
  }
  const { value, error, reload } = useLoaded(path, read, again)
  const more = () => {
    pages.current++
    reload()
  }
  return { value: value?.items, error, reload, more: value?.next === undefined ? undefined : more }
}

function useLoaded<Value>(
  path: string | undefined,
  load: (signal: AbortSignal) => Promise<Value>,
  { everyMs, version }: Again,
): Loaded<Value> {
  const [state, setState] = useState<{ path: string; value?: Value; error?: ApiError }>()
  const [round, setRound] = useState(0)
  useEffect(() => {
    if (path === undefined) return undefined
    const ending = new AbortController()
    load(ending.signal).then(
      (value) => setState({ path, value }),
      (error: ApiError) =>
        !ending.signal.aborted && setState((known) => ({ ...(known?.path === path ? known : {}), path, error })),
    )
    return () => ending.abort()
  }, [path, round, version])
  useInterval(() => setRound((now) => now + 1), everyMs)
  const reload = useCallback(() => setRound((now) => now + 1), [])
  return state?.path === path ? { value: state?.value, error: state?.error, reload } : { reload }
}

export function useInterval(run: () => void, ms: number | undefined): void {
  const latest = useRef(run)
  latest.current = run
  useEffect(() => {
    if (ms === undefined) return undefined
    const timer = setInterval(() => document.visibilityState === 'visible' && latest.current(), ms)
    return () => clearInterval(timer)
  }, [ms])
}

/** The path behind `#` of the address. */
export function useRoute(): string {
  const [route, setRoute] = useState(() => location.hash.slice(1))
  useEffect(() => {
    const changed = () => setRoute(location.hash.slice(1))
    addEventListener('hashchange', changed)
    return () => removeEventListener('hashchange', changed)
  }, [])
  return route
}
