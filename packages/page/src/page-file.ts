import type { PageAbout } from './page-about.ts'

/** The files of a page, by path. */
export type PageFiles = ReadonlyMap<string, string | Uint8Array<ArrayBuffer>>

/** A file of the page as one agent shows it. */
export interface PageFile {
  readonly name: string
  readonly content: string | Uint8Array<ArrayBuffer>
}

/** What one agent has in its page. */
export interface PageContent {
  readonly about: PageAbout
  /** CSS that is loaded after the page's own. */
  readonly styles?: string | undefined
}

const stylesPath = '/theme.css'

/** Whether the chat page may have a file at a path; others need not be looked for. */
export function isPagePath(path: string): boolean {
  return ['/', '/icon.svg', stylesPath].includes(path) || path.startsWith('/assets/')
}

/** The file at a path; undefined where the page has none. The one at `/` says what the page is told of its agent. */
export function pageFile(files: PageFiles, path: string, content: PageContent): PageFile | undefined {
  if (path === stylesPath && content.styles !== undefined) return { name: path, content: content.styles }
  const name = path === '/' ? '/index.html' : path
  const file = isPagePath(path) ? files.get(name) : undefined
  if (file === undefined) return undefined
  return { name, content: path === '/' && typeof file === 'string' ? written(file, content) : file }
}

/** The page with what it says of its agent. */
function written(page: string, { about, styles }: PageContent): string {
  const json = JSON.stringify(about).replaceAll('<', String.raw`\u003c`)
  const html =
    styles === undefined ? page : page.replace('</head>', `<link rel="stylesheet" href=".${stylesPath}" /></head>`)
  // In one go, so that what was put in is not looked at again.
  return html.replaceAll(/%(?:AGENT|ABOUT)%/g, (found) => (found === '%AGENT%' ? escaped(about.name) : json))
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
