import { BeachError } from '@cool-ai/beach-core'
import { hasForeignOrigin } from './request-source.ts'

const loopback: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** Which pages may call, besides the agent's own. */
export interface AllowedOrigins {
  readonly origins?: readonly string[] | undefined
  /** On one's own machine its other pages may, as those of a development server do. */
  readonly allowLocal?: boolean | undefined
  readonly publicUrl?: string | undefined
}

/**
 * The origin of another site's page that may call, undefined for other permitted callers; throws for the rest.
 * A cookie never counts across sites.
 */
export function foreignOrigin(
  request: Request,
  { origins = [], allowLocal = false, publicUrl }: AllowedOrigins,
): string | undefined {
  const origin = request.headers.get('origin')
  if (origin === null || !hasForeignOrigin(request, publicUrl)) return undefined
  const isLocal = allowLocal && isLoopback(origin) && isLoopback(request.url)
  if ((isLocal || origins.includes(origin)) && !request.headers.has('cookie')) return origin
  throw new BeachError('FORBIDDEN', 'Pages of that origin may not call this agent. Add it to `origins` if they should.')
}

/** Whether an address leads to the machine that opens it. */
export function isLoopback(url: string): boolean {
  return URL.canParse(url) && loopback.has(new URL(url).hostname)
}

/** Refuses what browsers never send as an origin: it would allow no page. */
export function checkOrigins(origins: readonly string[] = [], option: string): void {
  const wrong = origins.find((origin) => !URL.canParse(origin) || new URL(origin).origin !== origin)
  if (wrong === undefined) return
  const message = `${option} has '${wrong}'. Give origins such as 'https://shop.example': scheme, host and port only.`
  throw new BeachError('INVALID_CONFIGURATION', message)
}

/** What lets a page of another site read the answer, and those of its headers that pages do not see by themselves. */
export function corsHeaders(origin: string | undefined, exposed: readonly string[] = []): Record<string, string> {
  if (origin === undefined) return {}
  const shown = exposed.length === 0 ? {} : { 'access-control-expose-headers': exposed.join(', ') }
  return { 'access-control-allow-origin': origin, vary: 'origin', ...shown }
}

/** What a page may send. */
export interface AllowedRequests {
  readonly methods: readonly string[]
  readonly headers: readonly string[]
}

/** The answer to a browser that asks whether it may call. */
export function preflight(origin: string | undefined, { methods, headers }: AllowedRequests): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...corsHeaders(origin),
      'access-control-allow-methods': methods.join(', '),
      'access-control-allow-headers': headers.join(', '),
      'access-control-max-age': '600',
    },
  })
}
