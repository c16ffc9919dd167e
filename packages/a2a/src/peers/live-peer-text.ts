import type { AuthoredPart } from '@cool-ai/beach-core'
import type { PartOrigin, ShowLive } from '@cool-ai/beach-core/ports'

/** Shows a peer's words while they come; what is shown of a part can change as more of it is known. */
export class LivePeerText {
  readonly #live: ShowLive
  readonly #shown = new Map<string, string>()

  constructor(live: ShowLive = () => {}) {
    this.#live = live
  }

  /** The part as it would be shown now, under its name. */
  show(name: string, part: AuthoredPart | undefined): void {
    const { text = '' } = part ?? {}
    if (part === undefined || !('partType' in part) || text === '') return this.takeBack(name)
    const before = this.#shown.get(name) ?? ''
    if (!text.startsWith(before)) this.takeBack(name)
    const delta = text.slice(this.#shown.get(name)?.length ?? 0)
    if (delta === '') return
    this.#shown.set(name, text)
    this.#live(name, { partType: part.partType, delta, origin: part.metadata?.origin as PartOrigin | undefined })
  }

  /** It is about to be said as a whole. */
  said(name: string): void {
    this.#shown.delete(name)
  }

  takeBack(name: string): void {
    if (this.#shown.delete(name)) this.#live(name)
  }
}
