import type { Actor, Clock } from '@cool-ai/beach-core'
import { createModel, llmActor, scriptedModel, textModel, type AnyTool, type Model } from '@cool-ai/beach-llm'
import type { TextModel } from '@cool-ai/beach-protocol'
import { todayIn } from '../domain/today.ts'
import { sallyPrompt } from './prompt.ts'
import { sallyScript } from './script.ts'
import { scriptedAnalyst } from './scripted-analyst.ts'

/** Sally, on the given model. */
export function sally(options: { model: Model; tools: readonly AnyTool[]; clock: Clock }): Actor {
  const { model, tools, clock } = options
  return llmActor({
    name: 'sally',
    model,
    prompt: sallyPrompt,
    tools,
    context: [() => `Today is ${todayIn(clock)}.`],
  })
}

const providers = [
  { key: 'ANTHROPIC_API_KEY', model: 'anthropic/claude-sonnet-4-5' },
  { key: 'OPENAI_API_KEY', model: 'openai/gpt-5.1' },
  { key: 'GOOGLE_GENERATIVE_AI_API_KEY', model: 'google/gemini-3-pro' },
] as const

/** What plays Sally, and what writes for other agents' models what her answers mean. */
export interface Models {
  readonly model: Model
  readonly analyst: TextModel
  readonly name: string
}

/** The model that the environment chooses: `BEACH_MODEL`, else by the first provider's key, else the script. */
export async function chooseModel(variables: NodeJS.ProcessEnv, clock: Clock): Promise<Models> {
  const name = variables.BEACH_MODEL ?? providers.find(({ key }) => variables[key] !== undefined)?.model
  if (name === undefined || name === 'scripted') {
    const pieceMs = Number(variables.BEACH_SCRIPT_MS ?? 15)
    const model = scriptedModel({ rules: sallyScript(() => todayIn(clock)), pieceMs, pieceLength: 6 })
    return { model, analyst: scriptedAnalyst, name: 'a script (no key needed)' }
  }
  const model = await createModel(name)
  return { model, analyst: textModel(model), name }
}
