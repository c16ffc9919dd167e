import { fileURLToPath } from 'node:url'
import { bundlePage, type PageFiles } from '@cool-ai/beach-page/bundling'

let bundled: Promise<PageFiles> | undefined

/** The chat page with the forms of the examples' data, such as flights and weeks; bundled once for all agents of a process. */
export function examplePage(): Promise<PageFiles> {
  return (bundled ??= bundlePage(fileURLToPath(new URL('page', import.meta.url)), './'))
}
