import type { Beach } from '@cool-ai/beach'
import { readdressed } from '@cool-ai/beach-transport'

/** Agents on one port: each has all that is under a path of its own, and the first one everything else. */
export function beside(first: Beach, others: Readonly<Record<string, Beach>>): Beach {
  const found = (pathname: string) => {
    const at = Object.keys(others).find((path) => pathname === path || pathname.startsWith(`${path}/`))
    const beach = at === undefined ? undefined : others[at]
    return at === undefined || beach === undefined ? undefined : { at, beach, rest: pathname.slice(at.length) }
  }
  return {
    ...first,
    fetch: async (request) => {
      const url = new URL(request.url)
      const other = found(url.pathname)
      if (other === undefined) return first.fetch(request)
      // What a page names beside itself is under the path only if the page is too.
      if (other.rest === '')
        return new Response(null, { status: 308, headers: { location: `${other.at}/${url.search}` } })
      url.pathname = other.rest
      return other.beach.fetch(readdressed(request, url))
    },
    upgrade(incoming, socket, head) {
      const [pathname = '', ...query] = (incoming.url ?? '').split('?')
      const other = found(pathname)
      if (other !== undefined) incoming.url = [other.rest, ...query].join('?')
      const { beach } = other ?? { beach: first }
      beach.upgrade(incoming, socket, head)
    },
    async close(options) {
      await Promise.all([first, ...Object.values(others)].map((beach) => beach.close(options)))
    },
  }
}
