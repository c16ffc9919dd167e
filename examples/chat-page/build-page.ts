import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Another page that a page leads to. */
export interface PageLink {
  readonly label: string
  readonly url: string
}

/** What a page is told of its agent. */
export interface PageAbout {
  readonly name: string
  readonly description?: string
  /** Things to say first. */
  readonly suggestions: readonly string[]
  readonly links: readonly PageLink[]
}

/** Gives the files of an agent's chat page by path; what it says of the agent may become known later. */
export async function buildPage(about: () => PageAbout): Promise<(path: string) => Response | undefined> {
  // It is the same page for all agents, so one process bundles it once.
  const files = await (bundled ??= bundle())
  return (path) => {
    const name = path === '/' ? '/index.html' : path
    const file = files.get(name)
    if (file === undefined) return undefined
    return new Response(name === '/index.html' && typeof file === 'string' ? written(file, about()) : file, {
      headers: {
        'content-type': types[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
        // File names carry a hash of the content, but for the page itself and its icon.
        'cache-control': name.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
        'content-security-policy': policy,
        // Whoever opened this window has no hold on it.
        'cross-origin-opener-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      },
    })
  }
}

type Files = ReadonlyMap<string, string | Uint8Array<ArrayBuffer>>

let bundled: Promise<Files> | undefined

/** Bundles the page in memory. */
async function bundle(): Promise<Files> {
  const result = await build({
    configFile: false,
    root: fileURLToPath(new URL('page', import.meta.url)),
    logLevel: 'warn',
    resolve: { conditions: ['@cool-ai/source', 'browser', 'import', 'module', 'default'] },
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
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
