/** What one payload may hold. Bodies as a whole are bounded where they come in. */
export const flowLimits = {
  /** Bytes of JSON of a flow's props, and of one update of them. */
  propsBytes: 64 * 1024,
  /** Bytes of JSON of a machine's context, of an event's payload, of entities and of results. */
  contextBytes: 16 * 1024,
  idLength: 128,
  textLength: 4_096,
  operations: 100,
  /** Client events in one request. */
  events: 50,
  /** Flows and instances that a client can say it knows. */
  known: 200,
  /** How deep JSON may be nested. */
  depth: 32,
} as const

/** Keys that no application needs as data and that are a trap in all. */
export const forbiddenKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])
