import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { PageFiles } from '../page-file.ts'
import { keptBundle } from './kept-bundle.ts'

export type { PageFiles } from '../page-file.ts'

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
