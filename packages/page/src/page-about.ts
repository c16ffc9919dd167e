/** Another page that the chat page leads to. */
export interface PageLink {
  readonly label: string
  readonly url: string
  /** Where it is said how much is new there, as `{ "count": … }`; such a page is no other agent's, but of this one. */
  readonly news?: string | undefined
  /** True for a page of another agent on which people of this machine are played. */
  readonly isNearby?: boolean | undefined
}

/** What the page is told of its agent: it stands in the page itself, as JSON. */
export interface PageAbout {
  readonly name: string
  readonly description?: string | undefined
  /** Things to say first. */
  readonly suggestions: readonly string[]
  readonly links: readonly PageLink[]
  /** What the agents that this one asks are called, by their ids. */
  readonly peers?: Readonly<Record<string, string>> | undefined
  /** Where the inspector is, for an agent that has it switched on. */
  readonly inspector?: string | undefined
  /** Where a person signs in or out, for an agent that has its people sign in. */
  readonly account?: { readonly label: string; readonly url: string } | undefined
}
