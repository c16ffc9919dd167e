const maxDepth = 6
const maxMembers = 40

/** A JSON Schema of the shape that a value has: its members and their kinds, not what they are. */
export function inferredSchema(value: unknown, depth = 0): Record<string, unknown> {
  if (value === null) return { type: 'null' }
  if (depth >= maxDepth) return {}
  if (Array.isArray(value)) {
    return value.length === 0 ? { type: 'array' } : { type: 'array', items: inferredSchema(value[0], depth + 1) }
  }
  if (typeof value === 'object') {
    const members = Object.entries(value).slice(0, maxMembers)
    const properties = Object.fromEntries(members.map(([name, item]) => [name, inferredSchema(item, depth + 1)]))
    return { type: 'object', required: Object.keys(properties), properties }
  }
  return { type: typeof value === 'number' ? 'number' : typeof value === 'boolean' ? 'boolean' : 'string' }
}
