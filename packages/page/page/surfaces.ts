import { createA2uiRenderer, type A2uiRenderer, type SurfaceAction } from '@cool-ai/beach-a2ui/renderer'
import type { StreamPart } from '@cool-ai/beach-client'
import { peerOf, withoutAgentName } from '@cool-ai/beach-client/view'

type Act = (action: Omit<SurfaceAction, 'dataModel'>, dataModel: unknown) => Promise<void>

/** Decisions are made next to the conversation; a surface that asks for one is not ours. */
const decision = 'approval.decide'

/** The surfaces of one conversation. Each is shown where the part stands that created it; later parts change it there. */
export class Surfaces {
  readonly #renderer: A2uiRenderer
  readonly #places = new Map<string, HTMLElement>()
  #current: HTMLElement | undefined

  constructor(act: Act) {
    this.#renderer = createA2uiRenderer({
      // Below the name of who says it.
      headingLevel: 3,
      mount: () => this.#current ?? document.createElement('div'),
      onAction({ dataModel, ...action }) {
        if (action.action.name === decision) {
          throw new Error('Decide below the conversation, where everything that would be done is shown.')
        }
        return act(action, dataModel)
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

  dispose(): void {
    this.#renderer.dispose()
  }
}
