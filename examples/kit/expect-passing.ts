import { fileURLToPath } from 'node:url'
import { evaluate, loadEvaluations, tableOf, type AgentSource } from '@cool-ai/beach/evaluations'
import { expect } from 'vitest'

/** Runs the evaluations of a folder in a test, of which there are ten or more, and expects all of them to pass. */
export async function expectPassing(agent: AgentSource, folder: URL): Promise<void> {
  const evaluations = await loadEvaluations([fileURLToPath(folder)])
  expect(evaluations.length).toBeGreaterThanOrEqual(10)
  const report = await evaluate({ agent, evaluations })
  if (!report.passed) throw new Error(tableOf(report))
}
