import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
}

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Another page that a page leads to. */
export interface PageLink {
  readonly label: string
  readonly url: string
}

/** Bundles the chat page of an agent in memory and gives its files by path; its links may become known later. */
export async function buildPage(
  agentName: string,
  links: () => readonly PageLink[] = () => [],
): Promise<(path: string) => Response | undefined> {
  const result = await build({
    configFile: false,
    root: fileURLToPath(new URL('page', import.meta.url)),
    logLevel: 'warn',
    resolve: { conditions: ['@cool-ai/source', 'browser', 'import', 'module', 'default'] },
    plugins: [{ name: 'agent-name', transformIndexHtml: (html) => html.replaceAll('%AGENT%', escaped(agentName)) }],
    build: { write: false, modulePreload: false },
  })
  const outputs = Array.isArray(result) ? result : [result]
  const files = new Map<string, string | Uint8Array<ArrayBuffer>>()
  for (const output of outputs) {
    if (!('output' in output)) continue
    for (const file of output.output) {
      const content = file.type === 'chunk' ? file.code : file.source
      files.set(`/${file.fileName}`, typeof content === 'string' ? content : new Uint8Array(content))
    }
  }
  return (path) => {
    const name = path === '/' ? '/index.html' : path
    const file = files.get(name)
    if (file === undefined) return undefined
    const content = typeof file === 'string' && path === '/' ? file.replace('%LINKS%', anchors(links())) : file
    return new Response(content, {
      headers: {
        'content-type': types[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
        // File names carry a hash of the content, but for the page itself.
        'cache-control': name === '/index.html' ? 'no-cache' : 'public, max-age=31536000, immutable',
        'content-security-policy': policy,
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      },
    })
  }
}

function anchors(links: readonly PageLink[]): string {
  return links.map(({ label, url }) => `<a href="${escaped(url)}">${escaped(label)}</a>`).join('')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
