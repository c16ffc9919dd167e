import type { PageFiles } from './page-file.ts'

let loaded: Promise<PageFiles> | undefined

/** The files of the chat page. It is the same page for all agents, so a process loads it once. */
export async function chatPageFiles(): Promise<PageFiles> {
  try {
    return await (loaded ??= import('#files').then((files) => files.chatPageFiles()))
  } catch (error) {
    // The next request tries again.
    loaded = undefined
    throw error
  }
}
