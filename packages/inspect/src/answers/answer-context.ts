import type { Principal } from '@cool-ai/beach-core'
import type { OpenApiSchema } from '@cool-ai/beach-core/openapi'
import type { ErrorRecord } from '../errors/error-record.ts'
import type { Follower } from '../listing/follower.ts'
import type { SessionIndex } from '../listing/session-index.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { InspectorParts } from '../options.ts'

/** What the routes of the operator API work with. */
export interface AnswerContext extends InspectorParts {
  readonly errors: ErrorRecord
  readonly index: SessionIndex
  readonly follower: Follower
  readonly metrics: Metrics
  /** The models that replays may be run with, besides the agent's own. */
  readonly models: readonly string[]
}

/** A request of an operator who may make it. */
interface OperatorRequest {
  readonly request: Request
  readonly by: Principal
  readonly params: Readonly<Record<string, string>>
}

/** One route of the operator API. */
export interface OperatorRoute {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Below `/inspect/api/`, such as `sessions/:id`. */
  readonly path: string
  readonly scope: string
  readonly summary: string
  /** The parameters of its query, in words. */
  readonly query?: Readonly<Record<string, string>> | undefined
  /** The status of a success, 200 when left out, and its media types where they are not JSON. */
  readonly status?: number | undefined
  readonly type?: string | readonly string[] | undefined
  /** The JSON Schema of the body, where it takes one. */
  readonly body?: OpenApiSchema | undefined
  readonly answer: (asked: OperatorRequest) => Promise<Response>
}
