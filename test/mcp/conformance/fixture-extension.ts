import type { ExtendServer } from '@cool-ai/beach-mcp'
import { completable, inputRequired, ResourceTemplate, type McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { png } from './fixture-content.ts'
import { registerAskingTools } from './fixture-legacy-tools.ts'
import { filledIn, registerQuestionTools } from './fixture-questions.ts'
import { registerContentTools } from './fixture-tools.ts'

/** What the conformance suite wants to find on a server, as far as the tools that an agent exposes do not offer it. */
export const extend: ExtendServer = (server, { mintState }) => {
  server.server.registerCapabilities({ logging: {}, resources: { subscribe: true } })
  registerContentTools(server)
  registerQuestionTools(server, mintState)
  registerAskingTools(server)
  registerResources(server)
  registerPrompts(server)
}

function registerResources(server: McpServer): void {
  const about = (mimeType: string) => ({ description: 'A resource of the suite.', mimeType })
  server.registerResource('static-text', 'test://static-text', about('text/plain'), async ({ href: uri }) => ({
    contents: [{ uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }],
  }))
  server.registerResource('static-binary', 'test://static-binary', about('image/png'), async ({ href: uri }) => ({
    contents: [{ uri, mimeType: 'image/png', blob: png }],
  }))
  server.registerResource('watched', 'test://watched-resource', about('text/plain'), async ({ href: uri }) => ({
    contents: [{ uri, mimeType: 'text/plain', text: 'Watched.' }],
  }))
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined })
  server.registerResource('template', template, about('application/json'), async ({ href: uri }, { id }) => ({
    contents: [
      {
        uri,
        mimeType: 'application/json',
        text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }),
      },
    ],
  }))
  server.server.setRequestHandler('resources/subscribe', () => ({}))
  server.server.setRequestHandler('resources/unsubscribe', () => ({}))
}

function registerPrompts(server: McpServer): void {
  const said = (text: string) => ({ role: 'user' as const, content: { type: 'text' as const, text } })
  const description = 'A prompt of the suite.'
  server.registerPrompt('test_simple_prompt', { description }, async () => ({
    messages: [said('This is a simple prompt for testing.')],
  }))
  const words = (...values: string[]) =>
    completable(z.string(), (value) => values.filter((word) => word.startsWith(value)))
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description, argsSchema: z.object({ arg1: words('paris', 'park', 'party'), arg2: words() }) },
    async ({ arg1, arg2 }) => ({ messages: [said(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] }),
  )
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description, argsSchema: z.object({ resourceUri: z.string() }) },
    async ({ resourceUri: uri }) => ({
      messages: [
        {
          role: 'user',
          content: {
            type: 'resource',
            resource: { uri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
          },
        },
        said('Please process the embedded resource above.'),
      ],
    }),
  )
  server.registerPrompt('test_prompt_with_image', { description }, async () => ({
    messages: [
      { role: 'user', content: { type: 'image', data: png, mimeType: 'image/png' } },
      said('Please analyze the image above.'),
    ],
  }))
  server.registerPrompt('test_input_required_result_prompt', { description }, async (context) => {
    const about = filledIn(context, 'user_context', 'context')
    if (typeof about === 'string') return { messages: [said(about)] }
    return inputRequired({
      inputRequests: {
        user_context: inputRequired.elicit({
          message: 'What context should the prompt use?',
          requestedSchema: { type: 'object', properties: { context: { type: 'string' } }, required: ['context'] },
        }),
      },
    })
  })
}
