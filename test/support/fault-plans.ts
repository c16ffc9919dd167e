import type { Fault, FaultPlan } from './faulty-proxy.ts'

const kinds = ['cut before', 'cut after', '40001', '40P01', 'slow'] as const satisfies readonly Fault[]
// A statement that is sent again has another number, and gets through; so does a transaction, which is shorter than this.
const period = 29
const mixedPeriod = 13

/**
 * Plans under which a suite must pass. In `npm test` one plan, in which every thirteenth statement has one fault after
 * the other. `npm run faults` has each fault at each place: together its plans hit every statement of a test.
 */
export function faultPlans(): readonly (readonly [name: string, plan: FaultPlan])[] {
  if (process.env.BEACH_FAULTS !== 'all') return [['all kinds of faults', mixed]]
  return kinds.flatMap((kind) =>
    Array.from({ length: period }, (_, phase) => {
      const plan: FaultPlan = (statement) => (statement % period === phase ? kind : undefined)
      return [`${kind}, at statements ${phase}, ${phase + period}, …`, plan] as const
    }),
  )
}

const mixed: FaultPlan = (statement) =>
  statement % mixedPeriod === 3 ? kinds[Math.floor(statement / mixedPeriod) % kinds.length] : undefined
