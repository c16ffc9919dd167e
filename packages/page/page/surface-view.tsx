import type { StreamPart } from '@cool-ai/beach-client'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { useSurfaces, useSurroundings } from './context.ts'
import { originName } from '@cool-ai/beach-client/view'

/** A surface, marked with who has made it, this agent or another one: it looks as it likes, but only within its frame. */
export function SurfaceView({ part, actor }: { readonly part: StreamPart; readonly actor: string }) {
  const frame = useRef<HTMLDivElement>(null)
  const { about } = useSurroundings()
  const place = useSurfaces()?.placeOf(part.partId)
  const origin = originName(part, about.peers ?? {})
  const maker = origin === undefined ? `Made by ${actor}` : `From ${origin}`
  useLayoutEffect(() => {
    if (place !== undefined) frame.current?.replaceChildren(place)
  }, [place])
  return (
    <section class={origin === undefined ? 'part surface' : 'part surface foreign'} role="group" aria-label={maker}>
      {origin !== undefined && <p class="from">{maker}</p>}
      <div ref={frame} />
      {origin === undefined && <p class="from">{maker}</p>}
    </section>
  )
}
