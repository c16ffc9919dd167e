import { foreignOrigin, jsonResponse } from '@cool-ai/beach-channel/http'
import { BeachError, type Route } from '@cool-ai/beach-core'
import { chatElementFiles } from '@cool-ai/beach-page'
import { staticFiles } from '@cool-ai/beach-web/static'
import type { AgentSettings } from './agent-settings.ts'
import { aboutOf } from './chat-page.ts'

/** The script says nothing of its agent: every page may load it, so that it can say why it may do no more. */
const forEveryPage = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' }

/** Serves the script of `<beach-chat>`, and what it is told of the agent. */
export function chatElement(settings: AgentSettings): Readonly<Record<'file' | 'about', Route['answer']>> {
  const { page, origins, publicUrl } = settings
  const options = typeof page === 'object' ? page : {}
  const serve = staticFiles({
    headers: () => forEveryPage,
    isHashed: (name) => name.startsWith('/beach-chat/'),
  })
  return {
    async file(request, { file }) {
      const name = file === undefined ? '/beach-chat.js' : `/beach-chat/${file}`
      const content = (await chatElementFiles()).get(name)
      if (content === undefined) throw new BeachError('NOT_FOUND', `There is nothing at ${name}.`)
      return serve(request, name, content)
    },
    async about(request) {
      // A page that is not listed gets the refusal in a form that it can read; its browser hides every other one from it.
      const headers = { ...forEveryPage, vary: 'origin', 'cache-control': 'no-store' }
      try {
        foreignOrigin(request, { origins, publicUrl })
      } catch (error) {
        const { code, message } = error as BeachError
        return jsonResponse({ error: { code, message } }, 403, headers)
      }
      const { name, suggestions, peers } = aboutOf(settings, options)
      return jsonResponse({ name, suggestions, ...(peers && { peers }) }, 200, headers)
    },
  }
}
