import type { PageAbout, PageLink } from '../src/page-about.ts'

export function isNearby({ news, isNearby: said = news !== undefined }: PageLink): boolean {
  return said
}

/** Reads what the server wrote into the page. */
export function readAbout(page: Document): PageAbout {
  const written = page.getElementById('about')?.textContent ?? ''
  return JSON.parse(written) as PageAbout
}
