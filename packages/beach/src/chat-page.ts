import { plainPage } from '@cool-ai/beach-channel/pages'
import { BeachError } from '@cool-ai/beach-core'
import { escapeHtml } from '@cool-ai/beach-core/runtime'
import {
  chatPageFiles,
  chatPageHeaders,
  isPagePath,
  pageFile,
  suggestionsOf,
  type PageAbout,
  type PageOptions,
} from '@cool-ai/beach-page'
import { staticFiles } from '@cool-ai/beach-web/static'
import type { AgentSettings } from './agent-settings.ts'
import type { OidcService } from './identity/oidc/open-oidc.ts'
import type { PageHandler } from './routes.ts'

/** Serves the chat page of an agent. */
export function chatPage(
  settings: Pick<AgentSettings, 'agent' | 'card'>,
  options: PageOptions,
  inspector: string | undefined,
  oidc?: Pick<OidcService, 'signInUrl'>,
): PageHandler {
  const { files = chatPageFiles, styles } = options
  const serve = staticFiles({ headers: () => chatPageHeaders })
  return async (path, request) => {
    if (!isPagePath(path)) return undefined
    const account = path === '/' && oidc !== undefined ? await accountOf(oidc, request) : undefined
    const about = { ...aboutOf(settings, options, inspector), account }
    const file = pageFile(await files(), path, { about, styles })
    return file && serve(request, file.name, file.content)
  }
}

/** Where a person signs in or out. */
async function accountOf(oidc: Pick<OidcService, 'signInUrl'>, request: Request): Promise<PageAbout['account']> {
  const url = await oidc.signInUrl(request, '/')
  return url === undefined ? { label: 'Sign out', url: './logout' } : { label: 'Sign in', url: './login?to=%2F' }
}

/** What the page says of the agent: the same as its card. */
export function aboutOf(
  { agent, card }: Pick<AgentSettings, 'agent' | 'card'>,
  { suggestions, links = [], peers }: PageOptions,
  inspector?: string,
): PageAbout {
  return {
    name: agent.name,
    description: card?.description,
    suggestions: suggestions ?? suggestionsOf(card?.capabilities ?? []),
    links: typeof links === 'function' ? links() : links,
    peers,
    inspector: inspector && `.${inspector}`,
  }
}

/** Says why an agent without server-sent events has no chat page, in place of a page that cannot talk to it. */
export function withoutStream(
  { agent }: Pick<AgentSettings, 'agent'>,
  path: string,
  request: Request,
): Response | undefined {
  if (path !== '/') return undefined
  const message = `The chat page needs server-sent events, which are switched off for this agent (\`protocols.sse\`).`
  if (request.headers.get('accept')?.includes('text/html') !== true) throw new BeachError('NOT_FOUND', message)
  const advice =
    'Switch them on, give createBeach a <code>page</code> of your own, or <code>page: false</code> for none.'
  const body = `<p>${escapeHtml(message)}</p><p>${advice}</p>`
  return plainPage({ status: 404, from: agent.name, title: 'This agent has no chat page', body })
}
