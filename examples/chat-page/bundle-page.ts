import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { staticFiles, type ServeStatic } from '@cool-ai/beach-web/static'
import { keptBundle, type BundledFiles } from './kept-bundle.ts'

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The files of a page, by path. */
export type PageFiles = BundledFiles

/** Bundles a page; `base` is the path that it will be served below. */
export function bundlePage(root: string, base = '/'): Promise<PageFiles> {
  return keptBundle(`${root} ${base}`, () => bundledApart(root, base))
}

const program = fileURLToPath(new URL('bundle-process.ts', import.meta.url))

async function bundledApart(root: string, base: string): Promise<PageFiles> {
  const { promise, resolve, reject } = Promise.withResolvers<PageFiles>()
  const child = fork(program, [root, base], { serialization: 'advanced', execArgv: [] })
  child.once('message', (files) => resolve(files as unknown as PageFiles))
  child.once('error', reject)
  // Why it failed stands above: the child writes to the same output.
  child.once('exit', (code) => reject(new Error(`The page in ${root} could not be bundled (exit code ${code}).`)))
  return promise
}

/** Serves the files of pages; `allowed` is what their policy allows besides. */
export function pageFiles(allowed = ''): ServeStatic {
  const headers = {
    'content-security-policy': allowed === '' ? policy : `${policy}; ${allowed}`,
    // The page that opened this window gets no reference to it.
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
  }
  return staticFiles({ headers: () => headers })
}
