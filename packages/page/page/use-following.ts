import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { focusField } from './focus-field.ts'

/** How far from the end a user may be who still follows the conversation. */
const nearPx = 48

/**
 * Keeps the end of a scrolled area in view while it grows, for a reader who is there. One who has scrolled back is left
 * alone; a new message of their own brings them to the end again, as does another `occasion`.
 */
export function useFollowing(occasion: string) {
  const scroller = useRef<HTMLElement>(null)
  const follows = useRef(true)
  const lastTop = useRef(0)
  const [away, setAway] = useState(false)

  const toEnd = (behavior: ScrollBehavior) => {
    const area = scroller.current
    // A welcome that is higher than a small window is read from its top.
    if (area?.querySelector('.welcome')) return
    area?.scrollTo({ top: area.scrollHeight, behavior })
  }
  useLayoutEffect(() => {
    follows.current = true
    toEnd('instant')
  }, [occasion])
  useEffect(() => {
    const area = scroller.current
    const content = area?.firstElementChild
    if (area === null || content === null || content === undefined) return
    const look = () => {
      const { scrollTop } = area
      // Only who goes up wants to stay there: the end also moves away when something grows.
      if (area.scrollHeight - scrollTop - area.clientHeight < nearPx) follows.current = true
      else if (scrollTop < lastTop.current) follows.current = false
      lastTop.current = scrollTop
      setAway(!follows.current)
    }
    const grown = new ResizeObserver(() => {
      if (follows.current) toEnd('instant')
      look()
    })
    grown.observe(content)
    grown.observe(area)
    area.addEventListener('scroll', look, { passive: true })
    return () => {
      grown.disconnect()
      area.removeEventListener('scroll', look)
    }
  }, [])
  const toLatest = () => {
    const calm = matchMedia('(prefers-reduced-motion: reduce)').matches
    toEnd(calm ? 'instant' : 'smooth')
    focusField()
  }
  return { scroller, away, toLatest }
}
