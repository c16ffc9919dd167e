import type { PeerNames } from './scene/peers.ts'

/** What the server tells the page of its agent. */
export interface About {
  readonly name: string
  readonly description?: string | undefined
  /** Things to say first. */
  readonly suggestions: readonly string[]
  /** Pages of other agents, and those of this one where something may be new. */
  readonly links: readonly Link[]
  /** What the agents that this one asks are called, by their ids. */
  readonly peers?: PeerNames | undefined
}

export interface Link {
  readonly label: string
  readonly url: string
  /** Where it is said how much is new there. */
  readonly news?: string
  /** True for a page on this machine on which others than the user are played; one with `news` is. */
  readonly isNearby?: boolean
}

export function isNearby({ news, isNearby: said = news !== undefined }: Link): boolean {
  return said
}

/** Reads what the server wrote into the page. */
export function readAbout(page: Document): About {
  const written = page.getElementById('about')?.textContent ?? ''
  return JSON.parse(written) as About
}
