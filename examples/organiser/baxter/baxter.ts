import type { Actor, Clock } from '@cool-ai/beach-core'
import { createModel, llmActor, scriptedModel, type AnyTool, type Model } from '@cool-ai/beach-llm'
import { todayOf } from '@cool-ai/example-kit/demo-clock'
import { baxterPrompt } from './prompt.ts'
import { baxterScript } from './script.ts'

/** Baxter, on the given model. */
export function baxter(options: { model: Model; tools: readonly AnyTool[]; clock: Clock }): Actor {
  const { model, tools, clock } = options
  return llmActor({
    name: 'baxter',
    model,
    prompt: baxterPrompt,
    tools,
    context: [() => `Today is ${todayOf(clock)}.`],
  })
}

/** The model that `BEACH_MODEL` names, else the script. */
export async function chooseModel(variables: NodeJS.ProcessEnv, clock: Clock): Promise<Model> {
  const { BEACH_MODEL: name = 'scripted', BEACH_SCRIPT_MS = 15 } = variables
  if (name !== 'scripted') return createModel(name)
  return scriptedModel({ rules: baxterScript(() => todayOf(clock)), pieceMs: Number(BEACH_SCRIPT_MS), pieceLength: 6 })
}
