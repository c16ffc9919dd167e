import type { Activity, ActivityFacts } from '@cool-ai/beach-core/ports'
import { providerName } from './activity-names.ts'
import type { Labels, Metrics } from './metrics.ts'

/** Counts an activity that has ended. */
export function countActivity(
  metrics: Metrics,
  activity: Activity,
  facts: ActivityFacts,
  ms: number,
  failure: string | undefined,
): void {
  const { outcome = 'ok' } = facts
  const seconds = ms / 1_000
  if (failure !== undefined) metrics.add('errors', { activity: activity.kind, code: failure })
  switch (activity.kind) {
    case 'receive':
      return metrics.add('messages', { transport: activity.transport, outcome })
    case 'turn':
      if (activity.takesOver) metrics.add('takeovers')
      return metrics.observe('turnRuns', seconds, { outcome })
    case 'model':
      return countModelCall(metrics, activity, facts, seconds)
    case 'tool':
      return metrics.observe('tools', seconds, { tool: activity.name, outcome })
    case 'commit':
      return metrics.observe('commits', seconds, { outcome })
    case 'delivery':
      return metrics.observe('deliveries', seconds, { transport: activity.transport, outcome })
  }
}

function countModelCall(
  metrics: Metrics,
  { model, provider }: Extract<Activity, { kind: 'model' }>,
  { outcome = 'ok', inputTokens, outputTokens, cost }: ActivityFacts,
  seconds: number,
): void {
  const labels: Labels = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': providerName(provider),
    'gen_ai.request.model': model,
  }
  metrics.observe('modelCalls', seconds, { ...labels, outcome })
  for (const [type, count] of Object.entries({ input: inputTokens, output: outputTokens })) {
    if (count !== undefined) metrics.observe('modelTokens', count, { ...labels, 'gen_ai.token.type': type })
  }
  if (cost !== undefined) metrics.add('modelCost', { model }, cost)
}
