import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { ask, type ApiError } from './api.ts'

export interface Loaded<Value> {
  readonly value?: Value | undefined
  readonly error?: ApiError | undefined
  readonly reload: () => void
}

/** The answer to a path; asked again every `everyMs`, where given, while the page is seen. */
export function useData<Value>(path: string | undefined, everyMs?: number): Loaded<Value> {
  const [state, setState] = useState<{ path: string; value?: Value; error?: ApiError }>()
  const [round, setRound] = useState(0)
  useEffect(() => {
    if (path === undefined) return undefined
    const ending = new AbortController()
    ask<Value>(path, ending.signal).then(
      (value) => setState({ path, value }),
      (error: ApiError) =>
        !ending.signal.aborted && setState((known) => ({ ...(known?.path === path ? known : {}), path, error })),
    )
    return () => ending.abort()
  }, [path, round])
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
