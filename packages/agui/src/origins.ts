import { BeachError } from '@cool-ai/beach-core'

const loopback: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]'])

/**
 * The origin of another site's page that may call, undefined for other permitted callers; throws for the rest.
 * On one's own machine its other pages may, as those of a development server do. A cookie never counts across sites.
 */
export function foreignOrigin(request: Request, allowed: readonly string[] = []): string | undefined {
  const origin = request.headers.get('origin')
  if (origin === null) return undefined
  const { host, hostname } = new URL(request.url)
  const from = URL.canParse(origin) ? new URL(origin) : undefined
  if (from?.host === host) return undefined
  const isLocal = from !== undefined && loopback.has(from.hostname) && loopback.has(hostname)
  if ((isLocal || allowed.includes(origin)) && !request.headers.has('cookie')) return origin
  throw new BeachError('FORBIDDEN', 'Pages of that origin may not call this agent. Add it to `origins` if they should.')
}

/** What lets a page of another site read the answer. */
export function corsHeaders(origin: string | undefined): Record<string, string> {
  return origin === undefined ? {} : { 'access-control-allow-origin': origin, vary: 'origin' }
}

/** The answer to a browser that asks whether it may call. */
export function preflight(origin: string | undefined): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...corsHeaders(origin),
      'access-control-allow-methods': 'POST, GET',
      'access-control-allow-headers': 'authorization, content-type, accept',
      'access-control-max-age': '600',
    },
  })
}
