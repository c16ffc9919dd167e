/** Whether an `If-None-Match` header names this tag; a cached copy is then still good. */
export function matchesTag(header: string | null, tag: string): boolean {
  const named = header?.split(',').map((item) => item.trim().replace(/^W\//, '')) ?? []
  return named.includes(tag) || named.includes('*')
}
