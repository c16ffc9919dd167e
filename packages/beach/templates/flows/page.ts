import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PageHandler } from '@cool-ai/beach'
import { pageHeaders } from '@cool-ai/beach-page'
import { staticFiles } from '@cool-ai/beach-web/static'

const serve = staticFiles({ headers: () => pageHeaders() })

/** The page that `vite build` has made in a folder; it is read once. */
export function page(folder: URL): PageHandler {
  const root = fileURLToPath(folder)
  const names = existsSync(root) ? globSync('**/*.*', { cwd: root }) : []
  const files = new Map(names.map((name) => [`/${name.replaceAll('\\', '/')}`, readFileSync(join(root, name))]))
  return (path, request) => {
    const name = path === '/' ? '/index.html' : path
    const file = files.get(name)
    return file === undefined ? undefined : serve(request, name, new Uint8Array(file))
  }
}
