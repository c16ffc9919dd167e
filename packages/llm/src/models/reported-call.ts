import { runningActivity, type ActivityFacts } from '@cool-ai/beach-core/ports'
import type { Model } from './model.ts'
import { recordedProvider } from './recorded-model.ts'

/** Calls a model, with a report on it where reports are read: its name and usage, nothing of what was said. */
export function reportedCall<Result>(
  { modelId: model, provider }: Model,
  call: (found: (facts: ActivityFacts) => void) => Promise<Result>,
): Promise<Result> {
  const telemetry = runningActivity()?.telemetry
  // A replay from the record asks no model, and costs nothing.
  if (telemetry === undefined || provider === recordedProvider) return call(() => {})
  return telemetry.run({ kind: 'model', model, provider }, ({ found }) => call(found))
}
