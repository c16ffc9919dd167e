import { BeachError } from '@cool-ai/beach-core'
import { hasForeignOrigin } from './request-source.ts'

const loopback: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** Which pages may call, besides the agent's own. */
export interface AllowedOrigins {
  readonly origins?: readonly string[] | undefined
  /** On one's own machine its other pages may, without cookies, as those of a development server do. */
  readonly allowLocal?: boolean | undefined
  readonly publicUrl?: string | undefined
}

/** The origin of another site's page that may call, undefined for other permitted callers; throws for the rest. */
export function foreignOrigin(request: Request, allowed: AllowedOrigins): string | undefined {
  const { allowLocal = false, publicUrl } = allowed
  const listed = listedOrigin(request, allowed)
  const origin = request.headers.get('origin')
  if (listed !== undefined || origin === null || !hasForeignOrigin(request, publicUrl)) return listed
  const isLocal = allowLocal && isLoopback(origin) && isLoopback(request.url)
  if (isLocal && !request.headers.has('cookie')) return origin
  throw refusedOrigin(origin)
}

/** The origin of a page that may call because it is listed; undefined for the agent's own pages and all other callers. */
export function listedOrigin(request: Request, { origins = [], publicUrl }: AllowedOrigins): string | undefined {
  const origin = request.headers.get('origin')
  if (origin === null || !origins.includes(origin)) return undefined
  return hasForeignOrigin(request, publicUrl) ? origin : undefined
}

/** What a page is told that is not listed; it may be quoted in a log, so only what looks like an origin is repeated. */
export function refusedOrigin(origin: string): BeachError {
  const name = isOrigin(origin) ? origin : 'that origin'
  const message = `Pages of ${name} may not call this agent. Add the origin to \`access.origins\` of createBeach if they should.`
  return new BeachError('FORBIDDEN', message)
}

/** Whether an address leads to the machine that opens it. */
export function isLoopback(url: string): boolean {
  return URL.canParse(url) && loopback.has(new URL(url).hostname)
}

/** Refuses what browsers never send as an origin: it would allow no page, or with a wildcard every page there is. */
export function checkOrigins(origins: readonly string[] = [], option: string): void {
  if (!Array.isArray(origins)) throw wrong(`${option} is a list of origins, such as ['https://shop.example'].`)
  const given = origins.find((origin) => !isOrigin(origin))
  if (given === undefined) return
  const advice = "Give origins such as 'https://shop.example': scheme, host and port only."
  throw wrong(`${option} has '${given}'. ${hintFor(given)}${advice}`)
}

function hintFor(given: unknown): string {
  if (typeof given !== 'string') return ''
  if (given.includes('*')) return 'There are no wildcards: each of those pages could act for the people who open it. '
  const guess = [given, `https://${given}`].find((text) => /^https?:\/\/\w/.test(text) && URL.canParse(text))
  return guess === undefined ? '' : `Did you mean '${new URL(guess).origin}'? `
}

/** Applications on phones and extensions of browsers have origins of schemes of their own. */
const appOrigin = /^(?!https?:|file:|data:|blob:)[a-z][a-z0-9.+-]*:\/\/[a-z0-9._-]+$/

function isOrigin(text: unknown): boolean {
  if (typeof text !== 'string' || text.includes('*') || !URL.canParse(text)) return false
  return new URL(text).origin === text || appOrigin.test(text)
}

function wrong(message: string): BeachError {
  return new BeachError('INVALID_CONFIGURATION', message)
}

/** The headers of answers that pages read, besides those that browsers show to every page. */
const exposed = [
  'a2a-extensions',
  'content-disposition',
  'content-range',
  'etag',
  'mcp-protocol-version',
  'mcp-session-id',
  'retry-after',
  'www-authenticate',
  'x-a2a-extensions',
].join(', ')

/** What lets a page of another origin read the answer. The origin is named, never `*`. */
export function corsHeaders(origin: string | undefined): Record<string, string> {
  if (origin === undefined) return {}
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': exposed,
    vary: 'origin',
  }
}

/** The same for a page that is listed for the whole agent: what its browser adds to its requests counts too. */
export function listedHeaders(origin: string): Record<string, string> {
  return { ...corsHeaders(origin), 'access-control-allow-credentials': 'true' }
}

/** Whether a browser asks here if its page may call. */
export function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers.has('origin') && headers.has('access-control-request-method')
}

/** The answer to a browser that asks whether its page may call: whatever it wants to send, its route checks. */
export function preflight(request: Request, origin: string | undefined): Response {
  const asked = request.headers.get('access-control-request-headers')
  const headers = {
    ...corsHeaders(origin),
    'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
    ...(asked && { 'access-control-allow-headers': asked }),
    'access-control-max-age': '600',
    vary: 'origin, access-control-request-method, access-control-request-headers',
  }
  return new Response(null, { status: 204, headers })
}

/** Adds headers to an answer, also to one that came from elsewhere; what varies with several headers says all of them. */
export function withCors(response: Response, headers: Readonly<Record<string, string>>): Response {
  if (response.headers.has('access-control-allow-origin') && headers['access-control-allow-origin'] === undefined) {
    return response
  }
  const answer = isChangeable(response) ? response : new Response(response.body, response)
  for (const [name, value] of Object.entries(headers)) {
    if (name === 'vary') answer.headers.set(name, varying(answer.headers.get(name), value))
    else answer.headers.set(name, value)
  }
  return answer
}

function varying(before: string | null, value: string): string {
  const names = [...(before ?? '').split(','), ...value.split(',')].map((name) => name.trim().toLowerCase())
  return [...new Set(names.filter((name) => name !== ''))].join(', ')
}

/** The headers of an answer that another server gave cannot be changed. */
function isChangeable({ headers }: Response): boolean {
  try {
    headers.delete('x-beach-none')
    return true
  } catch {
    return false
  }
}
