import { fileURLToPath } from 'node:url'
import type { BeachOptions } from '@cool-ai/beach'
import { bundlePage, pageFiles, type PageFiles } from './bundle-page.ts'

/** Another page that a page leads to. */
export interface PageLink {
  readonly label: string
  readonly url: string
  /** Where it is said how much is new there, as `{ "count": … }`; such a page is no other agent's, but of this one. */
  readonly news?: string
  /** True for a page of another agent on which people of this machine are played. */
  readonly isNearby?: boolean
}

/** What a page is told of its agent. */
export interface PageAbout {
  readonly name: string
  readonly description?: string | undefined
  /** Things to say first. */
  readonly suggestions: readonly string[]
  readonly links: readonly PageLink[]
  /** What the agents that this one asks are called, by their ids. */
  readonly peers?: Readonly<Record<string, string>> | undefined
}

/** Gives the files of an agent's chat page by path; what it says of the agent may become known later. */
export async function buildPage(about: () => PageAbout): Promise<NonNullable<BeachOptions['page']>> {
  // It is the same page for all agents, so one process bundles it once.
  const files = await (bundled ??= bundlePage(fileURLToPath(new URL('page', import.meta.url))))
  return (path, request) => {
    const name = path === '/' ? '/index.html' : path
    const file = files.get(name)
    if (file === undefined) return undefined
    return serve(request, name, name === '/index.html' && typeof file === 'string' ? written(file, about()) : file)
  }
}

let bundled: Promise<PageFiles> | undefined
// What a mail looks like is shown in a frame, in which nothing runs.
const serve = pageFiles("frame-src 'self'")

/** The page with what it says of its agent. */
function written(page: string, about: PageAbout): string {
  const json = JSON.stringify(about).replaceAll('<', String.raw`\u003c`)
  // In one go, so that what was put in is not looked at again.
  return page.replaceAll(/%(?:AGENT|ABOUT)%/g, (found) => (found === '%AGENT%' ? escaped(about.name) : json))
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
