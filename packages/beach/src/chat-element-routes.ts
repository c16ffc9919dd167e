import type { Channel, Route } from '@cool-ai/beach-core'
import type { AgentSettings } from './agent-settings.ts'
import type { chatElement } from './chat-element.ts'

/** `<beach-chat>` for pages of other sites. The first request for it loads its code. */
export function chatElementRoutes(settings: AgentSettings): Required<Pick<Channel, 'routes' | 'openapi'>> {
  let loading: Promise<ReturnType<typeof chatElement>> | undefined
  const answer = (name: keyof ReturnType<typeof chatElement>): Route['answer'] => {
    return async (request, params) => {
      loading ??= import('./chat-element.ts').then((loaded) => loaded.chatElement(settings))
      return (await loading)[name](request, params)
    }
  }
  return {
    routes: [
      { method: 'GET', path: '/beach-chat.js', answer: answer('file') },
      { method: 'GET', path: '/beach-chat/:file', answer: answer('file') },
      { method: 'GET', path: '/beach-chat.json', answer: answer('about') },
    ],
    openapi: async () => (await import('./openapi/chat-element-openapi.ts')).chatElementOpenApi(),
  }
}
