export {
  defineEvaluation,
  junitOf,
  KeptEvaluations,
  readEvaluations,
  tableOf,
  type CaseResult,
  type Evaluation,
  type EvaluationReport,
  type Expectation,
  type NamedEvaluation,
  type RunResult,
  type StepResult,
  type TurnRecord,
} from '@cool-ai/beach-inspect/evaluations'
export { evaluate, type EvaluateOptions, type NamedVariant } from './evaluate.ts'
export { loadEvaluations } from './load-evaluations.ts'
export type { AgentSource, EvaluationContext, EvaluationPlace } from './evaluation-place.ts'
export type { EvaluatedAgent, Variant } from './variant.ts'
