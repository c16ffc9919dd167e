import { BeachError } from '@cool-ai/beach-core'

/** One inbox over several agents; the ids are those of the agents themselves. */
export interface InboxOptions {
  /** Agents whose requests this agent's inbox shows too: `{ organiser: { url: 'https://organiser.example/' } }`. */
  readonly shows?: Readonly<Record<string, ShownAgent>> | undefined
  /**
   * Agents whose inboxes may show this agent's requests, and pass on decisions. They are trusted to say which user or guest
   * is calling.
   */
  readonly shownAt?: Readonly<Record<string, Pick<ShownAgent, 'url'>>> | undefined
}

/** Another agent of the inbox. */
export interface ShownAgent {
  /** Where it is: `approvals` below this address is its inbox. */
  readonly url: string
  /** What people call it; its id when left out. */
  readonly name?: string | undefined
}

const loopback: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** Throws what is wrong with the options, so that an agent does not start with them. */
export function checkInbox({ shows = {}, shownAt = {} }: InboxOptions, agentId: string): void {
  for (const [option, agents] of Object.entries({ shows, shownAt })) {
    for (const [id, { url }] of Object.entries(agents)) {
      if (id === agentId) throw wrong(`\`inbox.${option}\` names this agent itself, '${id}'. Name other agents there.`)
      if (!isUsable(url)) {
        throw wrong(
          `\`inbox.${option}\` needs the https address of '${id}', without a credential; http is for this machine.`,
        )
      }
    }
  }
}

/** The address of something below an agent's own address, which may be a path. */
export function below(url: string, path: string): URL {
  return new URL(path, url.endsWith('/') ? url : `${url}/`)
}

function isUsable(url: unknown): boolean {
  if (typeof url !== 'string' || !URL.canParse(url)) return false
  const { protocol, hostname, username, password, search, hash } = new URL(url)
  if ([username, password, search, hash].some((part) => part !== '')) return false
  return protocol === 'https:' || (protocol === 'http:' && loopback.has(hostname))
}

function wrong(message: string): BeachError {
  return new BeachError('INVALID_CONFIGURATION', message)
}
