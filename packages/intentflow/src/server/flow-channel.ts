import type { Channel, Principal } from '@cool-ai/beach-core'
import type { FlowRegistry } from '../registry/index.ts'
import { linkAnswer, type LinkContext } from './link-pages.ts'
import { linkPath } from './readable.ts'

export interface FlowChannelContext extends LinkContext {
  readonly registry: FlowRegistry
}

const manifestPath = '/intentflow/manifest'

/** A signed-in user of whom nothing more is known. */
const anyUser: Principal = { kind: 'user', id: 'anybody', tenant: 'any' }

/** The channel of flows: gives the engine its sessions, and serves the pages of links and what there is to be known of the flows. */
export function flowChannel(context: FlowChannelContext): Channel {
  return {
    transport: 'intentflow',
    deliveryClass: 'streaming',
    paths: [manifestPath, linkPath(':token')],
    secretPaths: [linkPath(':token')],
    start: async ({ sessions }) => context.gateway.open(sessions),
    fetch: async (request) => {
      if (new URL(request.url).pathname === manifestPath) return manifest(request, context.registry)
      return linkAnswer(request, context)
    },
  }
}

/** The flows that are not for some people only; reading it needs no credential. */
function manifest({ method }: Request, registry: FlowRegistry): Response {
  if (method !== 'GET' && method !== 'HEAD') return new Response(null, { status: 405, headers: { allow: 'GET, HEAD' } })
  const headers = { 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' }
  return Response.json(registry.toCapabilityManifest({ allowedFor: { principal: anyUser } }), { headers })
}
