import type { Channel, Route } from '@cool-ai/beach-core'
import type { ArtifactsRouteOptions } from './artifacts/artifacts-route.ts'
import type { DeviceLinkRoutesOptions } from './device-links/device-link-routes.ts'
import { checkInbox } from './inbox/inbox-options.ts'
import type { InboxRoutesOptions } from './inbox/inbox-routes.ts'
import type { MemoryRoutesOptions } from './memory/memory-routes.ts'
import type { MetricsRouteOptions } from './operator/metrics-route.ts'
import type { OperatorRoutesOptions } from './operator/operator-routes.ts'
import type { PreviewRoutesOptions } from './previews/preview-routes.ts'

// Routes that most processes never serve: the first request to one of them loads its code.

type Described = Required<Pick<Channel, 'routes' | 'openapi'>>

/** One-time links by which a second device joins a session. */
export function deviceLinkRoutes(options: DeviceLinkRoutesOptions): Described {
  const answer = late(async () => (await import('./device-links/device-link-routes.ts')).deviceLinkAnswers(options))
  return described('links', [
    { method: 'POST', path: '/sessions/:id/links', answer: answer('make') },
    { method: 'POST', path: '/join', answer: answer('join') },
  ])
}

/** What each channel would get of a turn, for the owner of its session. */
export function previewRoutes(options: PreviewRoutesOptions): Described {
  const answer = late(async () => (await import('./previews/preview-routes.ts')).previewAnswers(options))
  const path = '/sessions/:id/turns/:turnId/previews'
  return described('previews', [
    { method: 'GET', path, answer: answer('all') },
    { method: 'GET', path: `${path}/:transport/:index`, answer: answer('mail') },
  ])
}

/** What waits for the caller's decision, over all sessions, and at other agents: as a page, or as JSON. */
export function inboxRoutes(options: InboxRoutesOptions): Described {
  checkInbox(options.inbox ?? {}, options.agent.id)
  const answer = late(async () => (await import('./inbox/inbox-routes.ts')).inboxAnswers(options))
  return described('inbox', [
    { method: 'GET', path: '/approvals', answer: answer('list') },
    { method: 'GET', path: '/approvals/keys', answer: answer('keys') },
    { method: 'POST', path: '/approvals/:approvalId', answer: answer('decide') },
    { method: 'POST', path: '/approvals/at/:agent/:approvalId', answer: answer('decideThere') },
  ])
}

/** What is remembered of the caller, and its erasure. */
export function memoryRoutes(options: MemoryRoutesOptions): Described {
  const answer = late(async () => (await import('./memory/memory-routes.ts')).memoryAnswers(options))
  return described('memory', [
    { method: 'GET', path: '/memory', answer: answer('list') },
    { method: 'DELETE', path: '/memory', answer: answer('refuse') },
    { method: 'DELETE', path: '/memory/:id', answer: answer('forget') },
  ])
}

/** For operators: answers that were given up, and messages that could not be handled. */
export function operatorRoutes(options: OperatorRoutesOptions): Described {
  const answer = late(async () => (await import('./operator/operator-routes.ts')).operatorAnswers(options))
  const message = '/operator/put-aside/:transport/:id'
  return described('operator', [
    { method: 'GET', path: '/operator/dead-letters', answer: answer('deadLetters') },
    { method: 'POST', path: '/operator/dead-letters/:session/:delivery', answer: answer('redeliver') },
    { method: 'GET', path: '/operator/traces/:traceId', answer: answer('traced') },
    { method: 'GET', path: '/operator/put-aside', answer: answer('putAside') },
    { method: 'POST', path: message, answer: answer('requeue') },
    { method: 'DELETE', path: message, answer: answer('discard') },
  ])
}

/** The metrics of an agent as Prometheus reads them, for operators. */
export function metricsRoute(options: MetricsRouteOptions): Described {
  const answer = late(async () => (await import('./operator/metrics-route.ts')).metricsAnswers(options))
  return described('metrics', [{ method: 'GET', path: '/metrics', answer: answer('text') }])
}

/** Artifacts by signed links, always as files to save. */
export function artifactsRoute(
  options: ArtifactsRouteOptions,
): Required<Pick<Channel, 'paths' | 'secretPaths' | 'fetch' | 'openapi'>> {
  const paths = ['/artifacts/:id']
  return {
    paths,
    secretPaths: paths,
    openapi: async () => (await import('./openapi/web-openapi.ts')).webOpenApi('artifacts'),
    fetch: async (request) => (await import('./artifacts/artifacts-route.ts')).answerArtifact(request, options),
  }
}

/** Routes, with what the OpenAPI document says of them. */
function described(
  group: 'links' | 'previews' | 'inbox' | 'memory' | 'operator' | 'metrics',
  routes: readonly Route[],
): Described {
  return { routes, openapi: async () => (await import('./openapi/web-openapi.ts')).webOpenApi(group) }
}

type Answer = Route['answer']

/** Handlers by name, which are loaded together and once. */
function late<Name extends string>(load: () => Promise<Readonly<Record<Name, Answer>>>): (name: Name) => Answer {
  let loading: ReturnType<typeof load> | undefined
  return (name) => async (request, params) => (await (loading ??= load()))[name](request, params)
}
