import type * as Files from '#files'
import type { PageFiles } from './page-file.ts'

/** The files of the chat page. It is the same page for all agents, so a process loads it once. */
export const chatPageFiles: () => Promise<PageFiles> = once((files) => files.chatPageFiles())

/** The files of `<beach-chat>`: `/beach-chat.js`, and what it loads in turn under `/beach-chat/`. */
export const chatElementFiles: () => Promise<PageFiles> = once((files) => files.chatElementFiles())

function once(load: (files: typeof Files) => Promise<PageFiles>): () => Promise<PageFiles> {
  let loaded: Promise<PageFiles> | undefined
  return async () => {
    try {
      return await (loaded ??= import('#files').then(load))
    } catch (error) {
      // The next request tries again.
      loaded = undefined
      throw error
    }
  }
}
