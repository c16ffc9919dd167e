/** An address that no request goes to: paths are read against it. */
const nowhere = 'http://return.invalid'

/** The path of the agent's own that a browser goes back to; the agent's page for anything that could lead elsewhere. */
export function returnPath(given: string | null): string {
  if (given === null || !/^\/(?![/\\])[^\\\s]{0,1000}$/.test(given) || !URL.canParse(given, nowhere)) return '/'
  const { origin, pathname, search, hash } = new URL(given, nowhere)
  // `/./` and its like are gone now, and must not have left an address of another host.
  return origin === nowhere && !pathname.startsWith('//') ? pathname + search + hash : '/'
}
