import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/** A row of links that may be wider than the screen: the chosen one is brought into view. */
export function useShown<Row extends HTMLElement>(chosen: string): RefObject<Row | null> {
  const row = useRef<Row>(null)
  useEffect(() => {
    const link = row.current?.querySelector('[aria-current], [aria-selected="true"]')
    link?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [chosen])
  return row
}
