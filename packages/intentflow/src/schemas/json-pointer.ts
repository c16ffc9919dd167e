const syntax = /^(?:\/(?:[^~/]|~[01])*)*$/

/** The tokens of a JSON Pointer (RFC 6901); undefined if it is none. Here so that pages need not load all of the protocol. */
export function pointerTokens(pointer: string): string[] | undefined {
  if (!syntax.test(pointer)) return undefined
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** The pointer to a member of what `pointer` leads to. */
export function pointerTo(pointer: string, key: string): string {
  return `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
}
