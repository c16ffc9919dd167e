import { isStepCount, jsonSchema, streamText, tool } from 'ai'
import { serveTurns } from '../../server/http-turns.ts'
import { instructions, lookup } from '../../server/script.ts'
import { model } from './text-model.mjs'

const tools = {
  [lookup.name]: tool({
    description: lookup.description,
    inputSchema: jsonSchema(lookup.inputSchema),
    execute: async () => lookup.result,
  }),
}

serveTurns(async ({ text }, response) => {
  const result = streamText({ model, instructions, prompt: text, tools, stopWhen: isStepCount(5) })
  await result.pipeUIMessageStreamToResponse(response)
})
