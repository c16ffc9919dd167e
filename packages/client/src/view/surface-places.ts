import type { StreamPart } from '@cool-ai/beach-protocol/stream'
import type { SurfaceAction } from '../action.ts'
import { peerOf } from './peers.ts'
import { withoutAgentName } from './surface-parts.ts'

/** Sends what a user did on a surface; `act` of a conversation is one. */
export type SurfaceAct = (
  action: { readonly version: string; readonly action: SurfaceAction },
  dataModel: unknown,
) => Promise<unknown>

/** What draws surfaces, such as what `createA2uiRenderer` returns. */
interface SurfaceRenderer {
  readonly handle: (
    part: Pick<StreamPart, 'partId' | 'partType' | 'metadata' | 'text'> & { readonly data?: unknown },
  ) => void
  readonly dispose: () => void
}

/** Makes a renderer, as `createA2uiRenderer` of `@cool-ai/beach-a2ui/renderer` does. */
export type CreateSurfaceRenderer = (options: {
  readonly headingLevel: 3
  readonly mount: () => HTMLElement
  readonly onAction: (acted: {
    readonly version: string
    readonly action: SurfaceAction
    readonly dataModel?: unknown
  }) => Promise<void>
}) => SurfaceRenderer

/** A surface never decides an approval: an approver decides where everything that would be done is shown. */
const decision = 'approval.decide'

/** The surfaces of one conversation: each has its place where the part stands that created it, and later parts change it there. */
export class SurfacePlaces {
  readonly #renderer: SurfaceRenderer
  readonly #places = new Map<string, HTMLElement>()
  #current: HTMLElement | undefined

  constructor(createRenderer: CreateSurfaceRenderer, act: SurfaceAct) {
    this.#renderer = createRenderer({
      // Below the name of who says it.
      headingLevel: 3,
      mount: () => this.#current ?? document.createElement('div'),
      async onAction({ dataModel, ...action }) {
        if (action.action.name === decision) throw new Error('Decide where everything that would be done is shown.')
        await act(action, dataModel)
      },
    })
  }

  /** Takes each part once, in the order in which they came. */
  take(parts: readonly StreamPart[]): void {
    for (const part of parts) {
      if (this.#places.has(part.partId)) continue
      this.#current = document.createElement('div')
      this.#places.set(part.partId, this.#current)
      this.#renderer.handle(peerOf(part) === undefined ? part : { ...part, data: withoutAgentName(part.data) })
    }
  }

  /** Where the surface of a part is; without anything in it when the part only changed another one. */
  placeOf(partId: string): HTMLElement | undefined {
    return this.#places.get(partId)
  }

  /** Removes all surfaces. */
  dispose(): void {
    this.#renderer.dispose()
  }
}
