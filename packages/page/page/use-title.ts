import { useEffect } from 'preact/hooks'

/** Says in the title of the tab that something waits for the user, who may be looking at another one. */
export function useTitle(name: string, waits: boolean): void {
  useEffect(() => {
    document.title = waits ? `Your decision is needed · ${name}` : `${name} · Beach`
  }, [name, waits])
}
