import { fileURLToPath } from 'node:url'
import type { PageHandler } from '@cool-ai/beach'
import { bundlePage, pageFiles, type PageFiles } from '@cool-ai/example-kit/bundle-page'

let bundled: Promise<PageFiles> | undefined
const serve = pageFiles()

/** The shop's page, by path; it names what it needs by where it is itself, so that it can be under any path. */
export async function coffeePage(): Promise<PageHandler> {
  const files = await (bundled ??= bundlePage(fileURLToPath(new URL('page', import.meta.url)), './'))
  return (path, request) => {
    const name = path === '/' ? '/index.html' : path
    const file = files.get(name)
    return file === undefined ? undefined : serve(request, name, file)
  }
}
