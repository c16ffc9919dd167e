import { createA2uiRenderer, type A2uiRenderer, type SurfaceAction } from '@cool-ai/beach-a2ui/renderer'
import type { StreamPart } from '@cool-ai/beach-client'
import { peerOf, withoutAgentName } from '@cool-ai/beach-client/view'

/** Sends what a user did on a surface; `act` of a conversation is one. */
export type Act = (action: Omit<SurfaceAction, 'dataModel'>, dataModel: unknown) => Promise<unknown>

/** Decisions are made beside surfaces, where everything that would be done is shown. */
const decision = 'approval.decide'

/** The surfaces of one conversation: each has its place where the part stands that created it, and later parts change it there. */
export class SurfacePlaces {
  readonly #renderer: A2uiRenderer
  readonly #places = new Map<string, HTMLElement>()
  #current: HTMLElement | undefined

  constructor(act: Act) {
    this.#renderer = createA2uiRenderer({
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

  placeOf(partId: string): HTMLElement | undefined {
    return this.#places.get(partId)
  }

  dispose(): void {
    this.#renderer.dispose()
  }
}
