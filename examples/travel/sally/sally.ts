import type { Actor, Clock } from '@cool-ai/beach-core'
import { createModel, llmActor, scriptedModel, type AnyTool, type Model } from '@cool-ai/beach-llm'
import { sallyPrompt } from './prompt.ts'
import { sallyScript } from './script.ts'

/** Sally, on the given model. */
export function sally(options: { model: Model; tools: readonly AnyTool[]; clock: Clock }): Actor {
  const { model, tools, clock } = options
  return llmActor({
    name: 'sally',
    model,
    prompt: sallyPrompt,
    tools,
    context: [() => `Today is ${new Date(clock.now()).toISOString().slice(0, 10)}.`],
  })
}

const providers = [
  { key: 'ANTHROPIC_API_KEY', model: 'anthropic/claude-sonnet-4-5' },
  { key: 'OPENAI_API_KEY', model: 'openai/gpt-5.1' },
  { key: 'GOOGLE_GENERATIVE_AI_API_KEY', model: 'google/gemini-3-pro' },
] as const

/** The model that the environment chooses: `BEACH_MODEL`, else by the first provider's key, else the script. */
export async function chooseModel(variables: NodeJS.ProcessEnv): Promise<{ model: Model; name: string }> {
  const name = variables.BEACH_MODEL ?? providers.find(({ key }) => variables[key] !== undefined)?.model
  if (name === undefined || name === 'scripted') {
    const pieceMs = Number(variables.BEACH_SCRIPT_MS ?? 15)
    return { model: scriptedModel({ rules: sallyScript, pieceMs, pieceLength: 6 }), name: 'a script (no key needed)' }
  }
  return { model: await createModel(name), name }
}
