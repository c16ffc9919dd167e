import type { PageLink } from './page-about.ts'
import type { PageFiles } from './page-file.ts'

/** How an agent's chat page differs from that of others; all of it may be left out. */
export interface PageOptions {
  /** Things to say first; the examples of the capabilities on the agent's card when left out. */
  readonly suggestions?: readonly string[] | undefined
  /** Pages of other agents, and further ones of this agent. A function is asked each time that the page is opened. */
  readonly links?: readonly PageLink[] | (() => readonly PageLink[]) | undefined
  /** What the agents that this one asks are called, by their ids. */
  readonly peers?: Readonly<Record<string, string>> | undefined
  /** CSS that is loaded after the page's own: for other colours and type, by its variables. */
  readonly styles?: string | undefined
  /** The files of a page that is built on this one; those of the package when left out. */
  readonly files?: (() => Promise<PageFiles>) | undefined
}
