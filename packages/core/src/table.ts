/**
 * A copy of a table with one more entry. Tables by ids have no prototype: their keys differ from session to session, and
 * an ordinary object would have a shape of its own for each of them. Besides, any key is data there.
 */
export function withEntry<Value>(
  table: Readonly<Record<string, Value>>,
  key: string,
  value: Value,
): Readonly<Record<string, Value>> {
  const copy = emptyTable<Value>()
  for (const known of Object.keys(table)) copy[known] = table[known] as Value
  copy[key] = value
  return copy
}

export function emptyTable<Value>(): Record<string, Value> {
  return Object.create(null) as Record<string, Value>
}
