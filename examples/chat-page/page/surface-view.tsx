import type { StreamPart } from '@cool-ai/beach-client'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { useSurfaces } from './context.ts'

/** A surface of the agent's own making, marked as such: it looks as it likes, but only within its frame. */
export function SurfaceView({ part, actor }: { readonly part: StreamPart; readonly actor: string }) {
  const frame = useRef<HTMLDivElement>(null)
  const place = useSurfaces()?.placeOf(part.partId)
  useLayoutEffect(() => {
    if (place !== undefined) frame.current?.replaceChildren(place)
  }, [place])
  return (
    <section class="part surface" aria-label={`Made by ${actor}`}>
      <div ref={frame} />
      <p class="from">Made by {actor}</p>
    </section>
  )
}
