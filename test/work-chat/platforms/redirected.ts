/** Sends requests to an address that a library has fixed to a stand-in, until it is restored. */
export function redirected(from: string, to: () => string): { restore(): void } {
  const before = globalThis.fetch
  const own: typeof fetch = (input, init) => {
    const address = typeof input === 'string' ? input : input instanceof URL ? input.href : input.url
    return address.startsWith(from) ? before(to() + address.slice(from.length), init) : before(input, init)
  }
  globalThis.fetch = own
  return {
    restore() {
      if (globalThis.fetch === own) globalThis.fetch = before
    },
  }
}
