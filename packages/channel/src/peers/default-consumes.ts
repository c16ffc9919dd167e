/** The part types that an agent consumes by default. Agents with a channel that shows surfaces add `a2ui-surface`. */
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
