import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

// As strict as a page can be: no style or script but from files, no picture but the page's own.
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const types: Readonly<Record<string, string>> = { html: 'text/html', js: 'text/javascript', css: 'text/css' }

/** A page with the renderer in it, served on a port of its own. */
export interface SurfacePageServer {
  readonly url: string
  readonly close: () => Promise<void>
}

/** What is served besides the bundle: texts by path, each with its own policy. */
export type FurtherPages = Readonly<Record<string, { readonly html: string; readonly policy: string }>>

/** Bundles by page: one for all tests of this process. */
const bundled = new Map<string, ReturnType<typeof bundle>>()

/** Bundles a page of this folder and serves it. */
export async function startSurfacePage(page = 'page.html', further: FurtherPages = {}): Promise<SurfacePageServer> {
  if (!bundled.has(page)) bundled.set(page, bundle(page))
  const files = (await bundled.get(page)) ?? new Map<string, string>()
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    const other = further[path]
    const name = path === '/' ? page : path.slice(1)
    const file = other?.html ?? files.get(name)
    if (file === undefined) return response.writeHead(404).end()
    const type = other === undefined ? (types[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream') : 'text/html'
    const headers = { 'content-type': `${type}; charset=utf-8`, 'content-security-policy': other?.policy ?? policy }
    return response.writeHead(200, headers).end(file)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/`, close: () => closed(server) }
}

async function bundle(page: string): Promise<Map<string, string | Uint8Array>> {
  const root = fileURLToPath(new URL('.', import.meta.url))
  const result = await build({
    configFile: false,
    root,
    logLevel: 'warn',
    resolve: { conditions: ['@cool-ai/source', 'browser', 'import', 'module', 'default'] },
    build: { write: false, modulePreload: false, rolldownOptions: { input: `${root}${page}` } },
  })
  const outputs = Array.isArray(result) ? result : [result]
  const files = outputs.flatMap((output) => ('output' in output ? output.output : []))
  return new Map(files.map((file) => [file.fileName, file.type === 'chunk' ? file.code : file.source]))
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}
