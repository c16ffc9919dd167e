export { checkTurn } from './checks/check-turn.ts'
export type { Judge } from './checks/check-text.ts'
export { missingFrom } from './checks/subset.ts'
export type { Failure } from './checks/failure.ts'
export { defineEvaluation } from './format/define-evaluation.ts'
export type {
  Evaluation,
  EvaluationPart,
  EvaluationStep,
  NamedEvaluation,
  RecordedResult,
} from './format/evaluation.ts'
export type { Expectation, Predicate } from './format/expectation.ts'
export { evaluationJsonSchema } from './format/json-schema.ts'
export { readEvaluations } from './format/read-yaml.ts'
export { sessionEvaluation } from './from-session/session-evaluation.ts'
export { KeptEvaluations, type ReportSummary } from './kept/kept-evaluations.ts'
export {
  failuresOf,
  totalsOf,
  type CaseResult,
  type EvaluationReport,
  type RunResult,
  type StepResult,
  type Totals,
} from './report.ts'
export { junitOf } from './reports/junit.ts'
export { tableOf } from './reports/table.ts'
export { recordOf, type RecordedRequest, type TurnRecord } from './turn-record.ts'
