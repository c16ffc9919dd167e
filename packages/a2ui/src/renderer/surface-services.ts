import type { DataModel } from '@a2ui/web_core/v0_9'

/** Whether a surface can be used: `busy` while its action is being answered, `done` and `stale` for good. */
export type SurfaceState = 'open' | 'busy' | 'done' | 'stale'

/** Something on the page that shows a surface's components and wants to know of changes. */
export interface Watcher {
  /** Draws itself anew, soon. */
  requestUpdate(): void
  /** True when the component with this id is one of its children. */
  shows(componentId: string): boolean
}

export interface SurfaceServices {
  readonly surfaceId: string
  /** The address of a picture, film or sound as it may be loaded, or nothing when it may not. */
  readonly source: (url: string) => string | undefined
  readonly openUrl: (url: string) => void
  readonly report: (message: string) => void
  /** The level of a surface's topmost heading on the page. */
  readonly headingLevel: number
  state: SurfaceState
  /** What is said next to the surface about its state. */
  message: string
  /** True after the user tried to send what is not valid yet: every field then says what it wants. */
  attempted: boolean
  /** Counts the actions that were sent; what was typed before the last one is not protected any more. */
  sent: number
  /** True while the user's click is being carried out. */
  acting: boolean
  /** How many more components may be shown. */
  room: number
  /** True when there was no room for all of them. */
  full: boolean
  /** The variants of headings that the surface has shown. */
  readonly headings: Set<number>
  readonly watchers: Set<Watcher>
  readonly nextId: () => number
}

/** More components than a person can read, and still quick to draw. */
const maxComponents = 3_000

const services = new WeakMap<DataModel, SurfaceServices>()

export function provideServices(
  dataModel: DataModel,
  given: Pick<SurfaceServices, 'surfaceId' | 'source' | 'openUrl' | 'report' | 'headingLevel'>,
): SurfaceServices {
  let ids = 0
  const provided: SurfaceServices = {
    ...given,
    state: 'open',
    message: '',
    attempted: false,
    sent: 0,
    acting: false,
    room: maxComponents,
    full: false,
    headings: new Set(),
    watchers: new Set(),
    nextId: () => ++ids,
  }
  services.set(dataModel, provided)
  return provided
}

/** Finds what the components of a surface share, by the surface's data. */
export function servicesOf(dataModel: DataModel): SurfaceServices {
  const found = services.get(dataModel)
  if (found === undefined) throw new Error('This surface was not made by this renderer.')
  return found
}

/** Has everything drawn anew that depends on the surface's state. */
export function changed(surface: SurfaceServices): void {
  for (const watcher of surface.watchers) watcher.requestUpdate()
}

/**
 * The level of a heading by its place among those of the surface: `h3` is the topmost one where there is no `h1` or `h2`,
 * so that no level is left out for users who go from heading to heading.
 */
export function headingLevel(surface: SurfaceServices, variant: number): number {
  const { headings } = surface
  if (!headings.has(variant)) {
    // Those below it, which were drawn before, go down.
    if ([...headings].some((other) => other > variant)) queueMicrotask(() => changed(surface))
    headings.add(variant)
  }
  const above = [...headings].filter((other) => other < variant).length
  return Math.min(surface.headingLevel + above, 6)
}
