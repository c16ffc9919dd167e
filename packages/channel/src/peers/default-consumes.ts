/** What is consumed by default: all that a model or a reader can make use of. Agents that show surfaces add those. */
export const defaultConsumes: readonly string[] = [
  'ack',
  'thinking',
  'progress',
  'response',
  'clarify',
  'error',
  'domain-data',
  'llm-context',
  'artifact',
  'citation',
  'approval-request',
]
