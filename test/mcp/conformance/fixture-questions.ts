import type { ExtensionContext } from '@cool-ai/beach-mcp'
import {
  inputRequired,
  inputResponse,
  type CallToolResult,
  type InputRequests,
  type InputRequiredResult,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { text } from './fixture-content.ts'

type Answer = CallToolResult | InputRequiredResult

const nothing = z.object({})
type Field = { readonly type: 'string' } | { readonly type: 'boolean' }
const asked = (message: string, name: string, field: Field = { type: 'string' }) =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [name]: field }, required: [name] },
  })
const sampled = (prompt: string, maxTokens: number) =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
    maxTokens,
  })

/** What a person wrote into a form; undefined when they did not. */
export function filledIn({ mcpReq }: ServerContext, key: string, name: string): unknown {
  const response = inputResponse(mcpReq.inputResponses, key)
  return response.kind === 'elicit' && response.action === 'accept' ? response.content?.[name] : undefined
}

/** The tools of the suite that ask by results, and go on when they are called again. */
export function registerQuestionTools(server: McpServer, mintState: ExtensionContext['mintState']): void {
  const tool = (name: string, run: (context: ServerContext) => Answer | Promise<Answer>) =>
    server.registerTool(name, { description: `The suite's ${name}.`, inputSchema: nothing }, async (_, context) =>
      run(context),
    )
  const ask = async (inputRequests: InputRequests, step?: number, context?: ServerContext) =>
    inputRequired({
      inputRequests,
      ...(context && { requestState: await mintState({ step }, context) }),
    })

  tool('test_input_required_result_elicitation', (context) => {
    const name = filledIn(context, 'user_name', 'name')
    return typeof name === 'string' ? text(`Hello, ${name}!`) : ask({ user_name: asked('What is your name?', 'name') })
  })
  tool('test_input_required_result_sampling', ({ mcpReq }) => {
    const response = inputResponse(mcpReq.inputResponses, 'capital_question')
    if (response.kind === 'sampling') return text(JSON.stringify(response.result.content))
    return ask({ capital_question: sampled('What is the capital of France?', 100) })
  })
  tool('test_input_required_result_list_roots', ({ mcpReq }) => {
    const response = inputResponse(mcpReq.inputResponses, 'client_roots')
    if (response.kind === 'roots') return text(response.roots.map(({ uri }) => uri).join(', '))
    return ask({ client_roots: inputRequired.listRoots() })
  })
  for (const name of ['test_input_required_result_request_state', 'test_input_required_result_tampered_state']) {
    tool(name, (context) => {
      const isGood = context.mcpReq.requestState<{ step: number }>()?.step === 1
      if (isGood && filledIn(context, 'confirm', 'ok') !== undefined) return text('state-ok')
      return ask({ confirm: asked('Please confirm', 'ok', { type: 'boolean' }) }, 1, context)
    })
  }
  tool('test_input_required_result_multiple_inputs', (context) => {
    const kinds = ['user_name', 'greeting', 'client_roots'].map(
      (key) => inputResponse(context.mcpReq.inputResponses, key).kind,
    )
    if (!kinds.includes('missing')) return text('All of it is here.')
    const requests = {
      user_name: asked('What is your name?', 'name'),
      greeting: sampled('Generate a greeting', 50),
      client_roots: inputRequired.listRoots(),
    }
    return ask(requests, 1, context)
  })
  tool('test_input_required_result_multi_round', (context) => {
    const step = context.mcpReq.requestState<{ step: number }>()?.step
    const name = filledIn(context, 'step1', 'name')
    const color = filledIn(context, 'step2', 'color')
    if (step === 2 && color !== undefined) return text(`Done, with ${JSON.stringify(color)}.`)
    if (step === 1 && name !== undefined) {
      return ask({ step2: asked('Step 2: What is your favorite color?', 'color') }, 2, context)
    }
    return ask({ step1: asked('Step 1: What is your name?', 'name') }, 1, context)
  })
  tool('test_input_required_result_capabilities', ({ mcpReq }) => {
    const responses = ['question', 'sample'].map((key) => inputResponse(mcpReq.inputResponses, key))
    if (responses.some(({ kind }) => kind !== 'missing')) return text('Answered.')
    const capabilities = (mcpReq.envelope as Record<string, Record<string, unknown>> | undefined)?.[
      'io.modelcontextprotocol/clientCapabilities'
    ]
    return ask({
      ...(capabilities?.elicitation !== undefined && { question: asked('What is your name?', 'name') }),
      ...(capabilities?.sampling !== undefined && { sample: sampled('Say hello.', 50) }),
    })
  })
  tool('test_missing_capability', ({ mcpReq }) => {
    const response = inputResponse(mcpReq.inputResponses, 'sample')
    return response.kind === 'missing' ? ask({ sample: sampled('Say hello.', 50) }) : text('Answered.')
  })
  tool('test_streaming_elicitation', (context) => {
    const name = filledIn(context, 'user_name', 'name')
    return typeof name === 'string' ? text(`Hello, ${name}!`) : ask({ user_name: asked('What is your name?', 'name') })
  })
}
