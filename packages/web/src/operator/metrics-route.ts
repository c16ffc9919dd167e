import type { Authenticator } from '@cool-ai/beach-core'
import { operatorOf } from './operator-routes.ts'

export interface MetricsRouteOptions {
  /** The metrics in Prometheus' text format. */
  readonly metrics: () => string
  /** By a credential that no page sends by itself: cookies do not count here. */
  readonly authenticate: Authenticator
}

export function metricsAnswers({ metrics, authenticate }: MetricsRouteOptions) {
  return {
    async text(request: Request): Promise<Response> {
      await operatorOf(authenticate, request)
      const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store' }
      return new Response(metrics(), { headers })
    },
  }
}
