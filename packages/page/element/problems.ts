import type { AgentError } from '@cool-ai/beach-client/reliability'

const loopback: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** Why no page, or not this one, can reach an agent at that address. */
export function addressProblem(agent: string, page: Pick<Location, 'href' | 'protocol'>): string | undefined {
  const url = URL.parse(agent, page.href)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return `'${agent}' is not the address of an agent: give \`agent\` one such as 'https://agent.example/'.`
  }
  if (page.protocol === 'https:' && url.protocol === 'http:' && !loopback.has(url.hostname)) {
    return `A page that came by https reaches no agent by http: serve the agent at https://${url.host}.`
  }
  return undefined
}

/** What a violation of the page's content security policy means for an agent; undefined for one that is about something else. */
export function blockedBy(
  { effectiveDirective, blockedURI, disposition }: Partial<SecurityPolicyViolationEvent>,
  agent: string,
): string | undefined {
  const { origin, host, protocol } = new URL(agent)
  if (effectiveDirective !== 'connect-src' || disposition !== 'enforce') return undefined
  if (blockedURI === undefined || URL.parse(blockedURI)?.origin !== origin) return undefined
  const socket = `${protocol === 'https:' ? 'wss' : 'ws'}://${host}`
  return `The content security policy of this page keeps it from reaching the agent: add ${origin} and ${socket} to its \`connect-src\`.`
}

/** Why an agent does not say who it is to a page, and what to do. */
export function refusedBecause(
  { code, message }: Pick<AgentError, 'code' | 'message'>,
  agent: string,
  origin: string,
): string {
  if (code === 'NOT_FOUND') return `There is no agent at ${agent} that serves <beach-chat>. Is \`agent\` its address?`
  if (code !== 'FORBIDDEN') return message
  return origin === 'null'
    ? 'This page has no origin, because it was opened from a file or in a sandbox: serve it by http, and add that origin to `access.origins` of the agent.'
    : message
}
