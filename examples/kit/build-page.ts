import type { BeachOptions } from '@cool-ai/beach'
import { chatPageFiles, chatPageHeaders, pageFile, type PageAbout } from '@cool-ai/beach-page'
import { staticFiles } from '@cool-ai/beach-web/static'

const serve = staticFiles({ headers: () => chatPageHeaders })

/** Gives the files of an agent's chat page by path; what it says of the agent may become known later. */
export async function buildPage(about: () => PageAbout): Promise<NonNullable<BeachOptions['page']>> {
  const files = await chatPageFiles()
  return (path, request) => {
    const file = pageFile(files, path, about())
    return file && serve(request, file.name, file.content)
  }
}
