import type { AgentSettings } from './agent-settings.ts'
import type { OidcService } from './identity/oidc/open-oidc.ts'
import type { Handler, PageHandler } from './routes.ts'

/** The agent's page: its own, or the chat page, which is loaded by the first request for it. */
export function pageOf(
  settings: AgentSettings,
  handlers: readonly Handler[],
  oidc?: Pick<OidcService, 'signInUrl'>,
): PageHandler | undefined {
  const { page = {}, sse = true } = settings
  if (page === false || typeof page === 'function') return page || undefined
  if (!sse) return async (path, request) => (await import('./chat-page.ts')).withoutStream(settings, path, request)
  let opening: Promise<PageHandler> | undefined
  return async (path, request) => {
    opening ??= import('./chat-page.ts').then(({ chatPage }) => chatPage(settings, page, inspectorOf(handlers), oidc))
    return (await opening)(path, request)
  }
}

const inspector = '/inspect'

/** Where the inspector is, if one of the handlers has it. */
function inspectorOf(handlers: readonly Handler[]): string | undefined {
  const paths = handlers.flatMap(({ paths: served = [], routes = [] }) => [
    ...served,
    ...routes.map(({ path }) => path),
  ])
  return paths.includes(inspector) ? inspector : undefined
}
