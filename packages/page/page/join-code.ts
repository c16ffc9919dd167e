/** The code of a one-time link that led to this page, taken out of the address so that it is not tried twice. */
export function joinCodeIn({ hash, pathname, search }: Location): string | undefined {
  const code = new URLSearchParams(hash.slice(1)).get('join')
  if (code === null || code === '') return undefined
  history.replaceState(null, '', `${pathname}${search}`)
  return code
}
