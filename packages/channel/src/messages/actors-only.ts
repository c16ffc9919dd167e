/** The part types that only actors say; from elsewhere they have no meaning of their own. */
export const actorsOnly: ReadonlySet<string> = new Set([
  'ack',
  'thinking',
  'response',
  'clarify',
  'error',
  'progress',
  'llm-context',
  'reasoning-trace',
  'approval-request',
  // Viewers of a session must be able to rely on its surfaces being the agent's.
  'a2ui-surface',
])
