import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { PageFiles } from '../page-file.ts'
import { keptBundle } from './kept-bundle.ts'

export type { PageFiles } from '../page-file.ts'

/** Bundles a page; `base` is the path that it will be served below. */
export function bundlePage(root: string, base = '/'): Promise<PageFiles> {
  return keptBundle(`${root} ${base}`, () => bundledApart(root, base))
}

/** Bundles a script that any page can load, with the files that it loads in turn. */
export function bundleScript(root: string, file: string): Promise<PageFiles> {
  return keptBundle(`${root} ${file}`, () => bundledApart(root, './', file))
}

const program = fileURLToPath(new URL('bundle-process.ts', import.meta.url))

async function bundledApart(...given: readonly string[]): Promise<PageFiles> {
  const { promise, resolve, reject } = Promise.withResolvers<PageFiles>()
  const child = fork(program, given, { serialization: 'advanced', execArgv: [] })
  child.once('message', (files) => resolve(files as unknown as PageFiles))
  child.once('error', reject)
  // Why it failed stands above: the child writes to the same output.
  child.once('exit', (code) => reject(new Error(`The page in ${given[0]} could not be bundled (exit code ${code}).`)))
  return promise
}
