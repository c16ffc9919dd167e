import type { McpServer, ServerContext } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { text } from './fixture-content.ts'

type Schema = Parameters<ServerContext['mcpReq']['elicitInput']>[0] extends infer Params
  ? Extract<Params, { requestedSchema: unknown }>['requestedSchema']
  : never

/** The tools of the suite that ask in the middle of a call, as revisions before 2026-07-28 do. */
export function registerAskingTools(server: McpServer): void {
  server.registerTool(
    'test_sampling',
    { description: 'Asks the client’s model.', inputSchema: z.object({ prompt: z.string() }) },
    async ({ prompt }, { mcpReq }) => {
      const { content } = await mcpReq.requestSampling({
        messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
        maxTokens: 100,
      })
      const said = !Array.isArray(content) && content.type === 'text' ? content.text : JSON.stringify(content)
      return text(`LLM response: ${said}`)
    },
  )
  server.registerTool(
    'test_elicitation',
    { description: 'Asks the user.', inputSchema: z.object({ message: z.string() }) },
    async ({ message }, { mcpReq }) => {
      const { action, content } = await mcpReq.elicitInput({ message, requestedSchema: person })
      return text(`User response: action: ${action}, content: ${JSON.stringify(content)}`)
    },
  )
  for (const [name, requestedSchema] of Object.entries({
    test_elicitation_sep1034_defaults: defaults,
    test_elicitation_sep1330_enums: enums,
  })) {
    server.registerTool(name, { description: 'Asks the user.', inputSchema: z.object({}) }, async (_, { mcpReq }) => {
      const { action, content } = await mcpReq.elicitInput({ message: 'Please fill this in.', requestedSchema })
      return text(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`)
    })
  }
}

const person: Schema = {
  type: 'object',
  properties: {
    username: { type: 'string', description: "User's response" },
    email: { type: 'string', description: "User's email address" },
  },
  required: ['username', 'email'],
}

const defaults: Schema = {
  type: 'object',
  properties: {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  },
}

const options = ['option1', 'option2', 'option3']
const titled = (noun: string) => [
  { const: 'value1', title: `First ${noun}` },
  { const: 'value2', title: `Second ${noun}` },
  { const: 'value3', title: `Third ${noun}` },
]

const enums: Schema = {
  type: 'object',
  properties: {
    untitledSingle: { type: 'string', enum: options },
    titledSingle: { type: 'string', oneOf: titled('Option') },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
    titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
  },
}
