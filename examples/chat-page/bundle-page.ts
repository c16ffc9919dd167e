import { keptBundle, type BundledFiles } from './kept-bundle.ts'

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The files of a page, by path. */
export type PageFiles = BundledFiles

/** Bundles a page in memory; `base` is the path that it will be served below. */
export function bundlePage(root: string, base = '/'): Promise<PageFiles> {
  return keptBundle(`${root} ${base}`, async () => {
    const { build } = await import('vite')
    const result = await build({
      configFile: false,
      root,
      base,
      logLevel: 'warn',
      // Whatever environment it is bundled in: the result is kept, and served in others.
      define: { 'process.env.NODE_ENV': JSON.stringify('production') },
      resolve: { conditions: ['@cool-ai/source', 'browser', 'import', 'module', 'default'] },
      oxc: { jsx: { runtime: 'automatic', importSource: 'preact', development: false } },
      build: { write: false, modulePreload: false, assetsInlineLimit: 0 },
    })
    const files = new Map<string, string | Uint8Array<ArrayBuffer>>()
    for (const output of Array.isArray(result) ? result : [result]) {
      if (!('output' in output)) continue
      for (const file of output.output) {
        const content = file.type === 'chunk' ? file.code : file.source
        files.set(`/${file.fileName}`, typeof content === 'string' ? content : new Uint8Array(content))
      }
    }
    return files
  })
}

/** A file of a page as it is served; `allowed` is what its policy allows besides. */
export function pageFile(name: string, content: string | Uint8Array<ArrayBuffer>, allowed = ''): Response {
  return new Response(content, {
    headers: {
      'content-type': types[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
      // File names carry a hash of the content, but for the page itself and its icon.
      'cache-control': name.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      'content-security-policy': allowed === '' ? policy : `${policy}; ${allowed}`,
      // The page that opened this window gets no reference to it.
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    },
  })
}
