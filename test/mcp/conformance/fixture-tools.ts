import type { McpServer, ServerContext } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { png, text, wav } from './fixture-content.ts'

const image = { type: 'image' as const, data: png, mimeType: 'image/png' }
const nothing = z.object({})

/** The tools of the suite with content that is no text, and with lines of a log: the SDK's own tools offer those. */
export function registerContentTools(server: McpServer): void {
  const tool = (name: string, run: (context: ServerContext) => unknown) =>
    server.registerTool(
      name,
      { description: `The suite's ${name}.`, inputSchema: nothing },
      async (_, context) => run(context) as ReturnType<typeof text>,
    )
  tool('test_image_content', () => ({ content: [image] }))
  tool('test_audio_content', () => ({ content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }] }))
  tool('test_embedded_resource', () => ({
    content: [
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      },
    ],
  }))
  tool('test_multiple_content_types', () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      image,
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: '{"test":"data","value":123}',
        },
      },
    ],
  }))
  tool('test_tool_with_logging', async ({ mcpReq }) => {
    for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await mcpReq.log('info', line)
    }
    return text('Logged.')
  })
  tool('test_logging_tool', async ({ mcpReq }) => {
    await mcpReq.log('info', 'A line of the log.')
    return text('Logged.')
  })
}
