import type { PageFiles } from './page-file.ts'

let loaded: Promise<PageFiles> | undefined

/** The files of the chat page. It is the same page for all agents, so a process loads it once. */
export function chatPageFiles(): Promise<PageFiles> {
  loaded ??= import('#files').then((files) => files.chatPageFiles())
  return loaded
}
