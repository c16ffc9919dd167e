import { setTimeout as wait } from 'node:timers/promises'
import { defineTool, llmActor, scriptedModel, type ScriptedMessage } from '@cool-ai/beach-llm'
import { z } from 'zod'

const work = defineTool({
  name: 'work',
  description: 'Works for so many seconds.',
  inputSchema: z.object({ seconds: z.number() }),
  handler: async ({ seconds }, { signal }) => wait(seconds * 1_000, 'Done.', { signal }),
})

const remove = defineTool({
  name: 'remove',
  description: 'Removes a file, once a person has agreed.',
  inputSchema: z.object({ file: z.string() }),
  requiresApproval: true,
  handler: ({ file }) => `${file} is gone.`,
})

const files = ['one.txt', 'two.txt']

/** What the model does at first; after that it says that it is done. */
function begins(text: string): ScriptedMessage | undefined {
  const [, seconds] = /^work for (\d+) s$/.exec(text) ?? []
  if (seconds !== undefined) return { tools: [{ name: 'work', args: { seconds: Number(seconds) } }] }
  const [, count] = /^remove (\d)$/.exec(text) ?? []
  if (count === undefined) return undefined
  return { tools: files.slice(0, Number(count)).map((file) => ({ name: 'remove', args: { file } })) }
}

/** The agent of the suite: it works for as long as it is told to, fails, or asks before it removes something. */
export const worker = llmActor({
  instructions: 'You do what you are told.',
  tools: [work, remove],
  model: scriptedModel({
    rules: [
      {
        say: ({ text, step }) => {
          if (text === 'fail') throw new Error('failed')
          const first = step === 0 ? begins(text) : undefined
          const parts = [{ metadata: { partType: 'response' }, text: 'Done.' }]
          return first ?? { respond: { turnState: 'complete', parts } }
        },
      },
    ],
  }),
})
