import type { Beach } from '@cool-ai/beach'
import { readdressed } from '@cool-ai/beach-channel/http'

/** Agents on one port: each has all that is under a path of its own, and the first one everything else. */
export function mount(first: Beach, others: Readonly<Record<string, Beach>>): Beach {
  const found = (pathname: string) => {
    const at = Object.keys(others).find((path) => pathname === path || pathname.startsWith(`${path}/`))
    const beach = at === undefined ? undefined : others[at]
    return at === undefined || beach === undefined ? undefined : { at, beach, rest: pathname.slice(at.length) }
  }
  const all = [first, ...Object.values(others)]
  return {
    ...first,
    readiness: {
      stopping: () => all.forEach((beach) => beach.readiness.stopping()),
      failing: async () => (await Promise.all(all.map((beach) => beach.readiness.failing()))).flat(),
    },
    fetch: async (request) => {
      const url = new URL(request.url)
      if (url.pathname === '/readyz') return firstUnready(all, request)
      const other = found(url.pathname)
      if (other === undefined) return first.fetch(request)
      // What a page names next to itself is under the path only if the page is too.
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
      await Promise.all(all.map((beach) => beach.close(options)))
    },
  }
}

/** They have one port, and so are ready together. */
async function firstUnready(all: readonly Beach[], request: Request): Promise<Response> {
  const answers = await Promise.all(all.map((beach) => beach.fetch(request.clone())))
  return answers.find(({ ok }) => !ok) ?? answers[0] ?? new Response(null, { status: 404 })
}
