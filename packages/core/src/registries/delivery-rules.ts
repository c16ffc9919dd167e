/**
 * What happens to a part on its way to one listener. The list is closed: a part type chooses from it per delivery
 * class and, where one transport is different, per transport.
 */
export const deliveryDecisions = [
  'flush',
  'delta',
  'once',
  'at-settlement',
  'final-state',
  'attach',
  'url-reference',
  'audit-only',
  'inbound-only',
  'drop',
] as const

/** One of the ten things that can happen to a part on its way to a listener. */
export type DeliveryDecision = (typeof deliveryDecisions)[number]

/** How a part type reaches listeners of either delivery class. */
export interface DeliveryRules {
  readonly streaming: DeliveryDecision
  readonly buffered: DeliveryDecision
  /** Transports that are treated differently from their class. */
  readonly transports?: Readonly<Record<string, DeliveryDecision>> | undefined
  /** How bytes stand in the part's data, such as `base64`; absent for plain JSON. */
  readonly serialisation?: string | undefined
}

/** True for one of the ten names. */
export function isDeliveryDecision(value: unknown): value is DeliveryDecision {
  return deliveryDecisions.includes(value as DeliveryDecision)
}

/** What is wrong with the rules, in words that continue "The part type 'x' …"; undefined when nothing is. */
export function deliveryRulesProblem(rules: unknown): string | undefined {
  if (typeof rules !== 'object' || rules === null) {
    return "has no delivery rules: give deliveryRules: { streaming, buffered }, for example { streaming: 'flush', buffered: 'drop' }."
  }
  const { streaming, buffered, transports, serialisation, ...others } = rules as Record<string, unknown>
  const unknown = Object.keys(others)[0]
  if (unknown !== undefined) return `has the unknown delivery rule '${unknown}'.`
  const problem = decisionProblem('streaming', streaming) ?? decisionProblem('buffered', buffered)
  if (problem !== undefined) return problem
  if (buffered === 'delta') return "has the buffered rule 'delta', but a buffered listener gets no deltas."
  if (serialisation !== undefined && typeof serialisation !== 'string')
    return 'has a serialisation that is not a string.'
  return transportsProblem(transports)
}

function transportsProblem(transports: unknown): string | undefined {
  if (transports === undefined) return undefined
  if (typeof transports !== 'object' || transports === null)
    return 'has delivery rules whose transports are not an object.'
  for (const [transport, decision] of Object.entries(transports)) {
    const problem = decisionProblem(transport, decision)
    if (problem !== undefined) return problem
  }
  return undefined
}

function decisionProblem(place: string, decision: unknown): string | undefined {
  if (isDeliveryDecision(decision)) return undefined
  const given = decision === undefined ? `has no ${place} rule` : `has the ${place} rule ${JSON.stringify(decision)}`
  return `${given}; choose one of ${deliveryDecisions.join(', ')}.`
}
