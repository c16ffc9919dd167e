import { pageHeaders } from '@cool-ai/beach-page'
import { staticFiles, type ServeStatic } from '@cool-ai/beach-web/static'

export { bundlePage, type PageFiles } from '@cool-ai/beach-page/bundling'

/** Serves the files of pages; `allowed` is what their policy allows besides. */
export function pageFiles(allowed?: string): ServeStatic {
  const headers = pageHeaders(allowed)
  return staticFiles({ headers: () => headers })
}
