import { pageOf, type PageFiles } from './page-files.ts'

let files: Promise<PageFiles> | undefined

/** The page in a checkout: it is bundled by the first request for it, once for all agents of a process. */
export function pageFiles(): Promise<PageFiles> {
  files ??= import('./bundle-page.ts').then(async ({ bundlePage }) => {
    const { html, script, style } = await bundlePage()
    return pageOf(html, script, style)
  })
  files.catch(() => (files = undefined))
  return files
}
