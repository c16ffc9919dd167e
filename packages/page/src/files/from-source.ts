import { fileURLToPath } from 'node:url'
import { bundlePage, bundleScript } from '../bundling/bundle-page.ts'
import type { PageFiles } from '../page-file.ts'

/** The files in a checkout: bundled when they are first asked for, and kept until a source changes. */
export function chatPageFiles(): Promise<PageFiles> {
  return bundlePage(fileURLToPath(new URL('../../page', import.meta.url)), './')
}

/** `<beach-chat>` in a checkout, in the same way. */
export function chatElementFiles(): Promise<PageFiles> {
  return bundleScript(fileURLToPath(new URL('../../element', import.meta.url)), 'beach-chat.ts')
}
