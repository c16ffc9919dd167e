import type { Activity, ActivityFacts } from '@cool-ai/beach-core/ports'

type Attributes = Record<string, string | number | boolean | string[]>

/** Providers whose names in the AI SDK are others than in OpenTelemetry's conventions. */
const providers: Readonly<Record<string, string>> = {
  'amazon-bedrock': 'aws.bedrock',
  azure: 'azure.ai.openai',
  google: 'gcp.gemini',
  vertex: 'gcp.vertex_ai',
  mistral: 'mistral_ai',
  xai: 'x_ai',
}

/** A provider by OpenTelemetry's GenAI conventions: `anthropic.messages` of the AI SDK is `anthropic`. */
export function providerName(provider: string): string {
  if (provider.startsWith('google.vertex')) return 'gcp.vertex_ai'
  const [first = ''] = provider.split('.')
  return Object.hasOwn(providers, first) ? (providers[first] ?? first) : first
}

/** The name of an activity's span, as the GenAI conventions have it where they know the activity. */
export function spanName(activity: Activity, agent: string): string {
  switch (activity.kind) {
    case 'turn':
      return `invoke_agent ${agent}`
    case 'model':
      return `chat ${activity.model}`
    case 'tool':
      return `execute_tool ${activity.name}`
    case 'receive':
    case 'delivery':
      return `${activity.kind} ${activity.transport}`
    case 'commit':
      return 'commit'
  }
}

/** What is known of an activity when it begins. */
export function startAttributes(activity: Activity, agent: { readonly id: string; readonly name: string }): Attributes {
  switch (activity.kind) {
    case 'turn':
      return {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.id': agent.id,
        'gen_ai.agent.name': agent.name,
        'gen_ai.conversation.id': activity.session,
        'beach.turn': activity.turn,
        'beach.actor': activity.actor,
        ...(activity.takesOver && { 'beach.takes_over': true }),
      }
    case 'model':
      return {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': providerName(activity.provider),
        'gen_ai.request.model': activity.model,
      }
    case 'tool':
      return {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': activity.name,
        'gen_ai.tool.call.id': activity.callId,
        'gen_ai.tool.type': 'function',
      }
    case 'receive':
      return { 'gen_ai.conversation.id': activity.session, 'beach.transport': activity.transport }
    case 'delivery':
      return {
        'gen_ai.conversation.id': activity.session,
        'beach.turn': activity.turn,
        'beach.transport': activity.transport,
        'beach.delivery': activity.seq,
        'beach.attempt': activity.attempt,
      }
    case 'commit':
      return { 'gen_ai.conversation.id': activity.session }
  }
}

/** What is known of an activity when it has ended. */
export function endAttributes(facts: ActivityFacts): Attributes {
  const attributes: Attributes = {}
  if (facts.outcome !== undefined) attributes['beach.outcome'] = facts.outcome
  if (facts.inputTokens !== undefined) attributes['gen_ai.usage.input_tokens'] = facts.inputTokens
  if (facts.outputTokens !== undefined) attributes['gen_ai.usage.output_tokens'] = facts.outputTokens
  if (facts.cachedInputTokens !== undefined) {
    attributes['gen_ai.usage.cache_read.input_tokens'] = facts.cachedInputTokens
  }
  if (facts.cost !== undefined) attributes['beach.cost'] = facts.cost
  if (facts.finishReason !== undefined) attributes['gen_ai.response.finish_reasons'] = [facts.finishReason]
  if (facts.responseModel !== undefined) attributes['gen_ai.response.model'] = facts.responseModel
  return attributes
}
