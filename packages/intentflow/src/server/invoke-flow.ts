import type { Principal, Runtime } from '@cool-ai/beach-core'
import type { RenderPayload } from '../schemas/index.ts'
import type { FlowGateway } from './flow-gateway.ts'
import type { FlowRules } from './flow-rules.ts'
import { hydrate } from './hydrate.ts'

/** What the program needs to open flows by itself. */
export interface InvokeContext {
  readonly gateway: FlowGateway
  readonly rules: FlowRules
  readonly runtime: Runtime
}

export interface Invocation {
  readonly intentId: string
  readonly entities?: Readonly<Record<string, unknown>>
  /** Given where the same invocation may come twice. */
  readonly instanceId?: string
  /** True when a turn is going to say the render. */
  readonly isPrepared?: boolean
}

/** Opens a flow for a user: finds out its props here, then shows it. Without a render it was open before. */
export async function invokeFlow(
  session: string,
  { intentId, entities, instanceId, isPrepared = false }: Invocation,
  by: Principal,
  { gateway, rules, runtime }: InvokeContext,
  signal: AbortSignal,
): Promise<RenderPayload | undefined> {
  const { flows, clients } = await gateway.look(session, by)
  const found = rules.registered(intentId, clients[intentId])
  rules.permit(found.flow, by)
  const known = rules.entitiesOf(found, entities)
  const hydrated = await hydrate(found, { session, entities: known, by, flows, signal }, runtime)
  const opening = {
    intentId,
    version: found.flow.version,
    hydrated,
    by,
    ...(instanceId !== undefined && { instanceId }),
  }
  const { answer } = await gateway.own(session, { kind: 'open', opening, isPrepared }, by)
  return (answer as { render?: RenderPayload }).render
}
