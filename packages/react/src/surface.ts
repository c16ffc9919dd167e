import type { StreamPart } from '@cool-ai/beach-client'
import { originName, SurfacePlaces, type PeerNames, type SurfaceAct } from '@cool-ai/beach-client/view'
import { createContext, createElement as h, useContext, useEffect, useRef, useState, type ReactElement } from 'react'

/** What `<Surface>` shows, and who is told of actions on it. */
export interface SurfaceProps {
  /** The parts of a conversation that show surfaces, in order, such as `surfaces` of `useBeach()`. */
  readonly parts: readonly StreamPart[]
  /** Sends what the user does on them: `act` of `useBeach()`. */
  readonly act: SurfaceAct
  /** What other agents are called, by their ids. */
  readonly peers?: PeerNames | undefined
}

/** Shows the surfaces of a conversation, one below the other, each marked when another agent has made it. */
export function Surface({ parts, act, peers }: SurfaceProps): ReactElement {
  const places = useSurfacePlaces(parts, act)
  return h(
    PlacesContext.Provider,
    { value: places },
    parts.map((part) => h(SurfaceFrame, { key: part.partId, part, peers })),
  )
}

type PlaceOf = (partId: string) => HTMLElement | undefined

/** Where the surfaces of the conversation around are, by the ids of their parts: another function once there are more. */
export const PlacesContext = createContext<PlaceOf | undefined>(undefined)

/** What shows the surfaces among the parts; it is loaded when there is the first one, and only in browsers. */
export function useSurfacePlaces(parts: readonly StreamPart[], act: SurfaceAct): PlaceOf | undefined {
  const [places, setPlaces] = useState<SurfacePlaces>()
  const latest = useRef(act)
  latest.current = act
  const isNeeded = parts.length > 0
  useEffect(() => {
    if (!isNeeded) return undefined
    let made: SurfacePlaces | undefined
    let isOver = false
    void import('@cool-ai/beach-a2ui/renderer').then(({ createA2uiRenderer }) => {
      if (isOver) return
      made = new SurfacePlaces(createA2uiRenderer, (...acted) => latest.current(...acted))
      setPlaces(made)
    })
    return () => {
      isOver = true
      setPlaces(undefined)
      made?.dispose()
    }
  }, [isNeeded])
  const [placeOf, setPlaceOf] = useState<PlaceOf>()
  useEffect(() => {
    places?.take(parts)
    setPlaceOf(() => places && ((partId: string) => places.placeOf(partId)))
  }, [places, parts])
  return placeOf
}

/** Where the surface of one part is; it looks as it likes, but only within its frame. */
export function SurfaceFrame({
  part,
  peers = {},
}: {
  readonly part: StreamPart
  readonly peers?: PeerNames | undefined
}) {
  const place = useContext(PlacesContext)?.(part.partId)
  const frame = useRef<HTMLDivElement>(null)
  const origin = originName(part, peers)
  useEffect(() => {
    if (place !== undefined) frame.current?.replaceChildren(place)
  }, [place])
  return h(
    'section',
    { className: 'beach-surface', role: 'group', 'aria-label': origin === undefined ? 'Surface' : `From ${origin}` },
    origin !== undefined && h('p', { className: 'beach-from' }, `From ${origin}`),
    h('div', { ref: frame }),
  )
}
