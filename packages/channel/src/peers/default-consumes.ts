/** What is consumed by default: all that a model or a person can make use of. */
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
