import type { PageAbout } from './page-about.ts'

/** The files of a page, by path. */
export type PageFiles = ReadonlyMap<string, string | Uint8Array<ArrayBuffer>>

/** A file of the page as one agent shows it. */
export interface PageFile {
  readonly name: string
  readonly content: string | Uint8Array<ArrayBuffer>
}

/** The file at a path; undefined where the page has none. The first one says what the page is told of its agent. */
export function pageFile(files: PageFiles, path: string, about: PageAbout): PageFile | undefined {
  const name = path === '/' ? '/index.html' : path
  const content = files.get(name)
  if (content === undefined) return undefined
  return { name, content: name === '/index.html' && typeof content === 'string' ? written(content, about) : content }
}

/** The page with what it says of its agent. */
function written(page: string, about: PageAbout): string {
  const json = JSON.stringify(about).replaceAll('<', String.raw`\u003c`)
  // In one go, so that what was put in is not looked at again.
  return page.replaceAll(/%(?:AGENT|ABOUT)%/g, (found) => (found === '%AGENT%' ? escaped(about.name) : json))
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
