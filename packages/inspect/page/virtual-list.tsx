import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

const spare = 12

interface VirtualListProps {
  readonly label: string
  readonly count: number
  readonly rowHeight: number
  readonly row: (index: number) => ComponentChildren
  /** Called with the rows that are seen, when they change. */
  readonly onSeen?: (first: number, last: number) => void
  /** A row to bring into view. */
  readonly shown?: number | undefined
}

/** A list of rows of one height, of which only those are in the page that are seen. */
export function VirtualList({ label, count, rowHeight, row, onSeen, shown }: VirtualListProps) {
  const box = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ top: 0, height: 600 })
  const look = () => {
    const { scrollTop = 0, clientHeight = 600 } = box.current ?? {}
    setView((known) =>
      known.top === scrollTop && known.height === clientHeight ? known : { top: scrollTop, height: clientHeight },
    )
  }
  useLayoutEffect(() => {
    look()
    const observer = new ResizeObserver(look)
    if (box.current !== null) observer.observe(box.current)
    return () => observer.disconnect()
  }, [])
  useEffect(() => {
    if (shown === undefined || box.current === null) return
    const [top, bottom] = [shown * rowHeight, (shown + 1) * rowHeight]
    const { scrollTop, clientHeight } = box.current
    if (top < scrollTop || bottom > scrollTop + clientHeight)
      box.current.scrollTop = Math.max(0, top - clientHeight / 2)
  }, [shown])
  const first = Math.max(0, Math.floor(view.top / rowHeight) - spare)
  const last = Math.min(count - 1, Math.ceil((view.top + view.height) / rowHeight) + spare)
  useEffect(() => onSeen?.(first, last), [first, last, count])
  const rows = []
  for (let index = first; index <= last; index++) {
    rows.push(
      <div
        class="vrow"
        role="listitem"
        key={index}
        aria-posinset={index + 1}
        aria-setsize={count}
        style={{ top: `${index * rowHeight}px`, height: `${rowHeight}px` }}
      >
        {row(index)}
      </div>,
    )
  }
  return (
    <div class="vlist" ref={box} onScroll={look} tabIndex={0} role="region" aria-label={label}>
      <div class="vspace" role="list" aria-label={label} style={{ height: `${Math.max(1, count) * rowHeight}px` }}>
        {rows}
      </div>
    </div>
  )
}
