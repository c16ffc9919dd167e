import { fileURLToPath } from 'node:url'
import { bundlePage, pageFile, type PageFiles } from '@cool-ai/example-chat-page/bundle-page'

let bundled: Promise<PageFiles> | undefined

/** The shop's page, by path; it names what it needs by where it is itself, so that it can be under any path. */
export async function coffeePage(): Promise<(path: string) => Response | undefined> {
  const files = await (bundled ??= bundlePage(fileURLToPath(new URL('page', import.meta.url)), './'))
  return (path) => {
    const name = path === '/' ? '/index.html' : path
    const file = files.get(name)
    return file === undefined ? undefined : pageFile(name, file)
  }
}
