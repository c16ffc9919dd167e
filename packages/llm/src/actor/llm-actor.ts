import type { Actor } from '@cool-ai/beach-core'
import { createModel } from '../models/create-model.ts'
import type { Model } from '../models/model.ts'
import { respondTool } from '../respond/respond-tool.ts'
import { backgroundWorks } from '../tools/background.ts'
import { completeConfig, type LlmActorConfig } from './config.ts'
import { LlmTurn, respondOptions } from './llm-turn.ts'

/** An actor that a model plays. */
export interface LlmActor extends Actor {
  /** The same actor with another model, or with other changes to its configuration. */
  with(changes: Partial<LlmActorConfig>): LlmActor
}

/** An actor that a model plays: it speaks by `respond()` only, calls tools, and stays within its budget. */
export function llmActor(config: LlmActorConfig): LlmActor {
  const context = completeConfig(config)
  const tool = respondTool(respondOptions(context))
  const works = backgroundWorks(context.toolsByName.values(), context.runtime)
  let loading: Promise<Model> | undefined
  const loaded = async (): Promise<Model> => {
    if (typeof config.model !== 'string') return config.model
    loading ??= createModel(config.model)
    return loading
  }
  return {
    run: async (turn) => new LlmTurn({ ...context, model: await loaded() }, tool, turn).run(),
    works,
    toolNames: ['respond', ...context.toolsByName.keys()],
    with: (changes) => llmActor({ ...config, ...changes }),
    async within({ name, others, tools: offered, partTypes: known, recordPrompts }) {
      const model = await loaded()
      const partTypes = config.partTypes ?? known ?? context.partTypes
      const tools = [...(config.tools ?? []), ...offered.filter((one) => !context.toolsByName.has(one.name))]
      return llmActor({
        ...config,
        name: config.name ?? name,
        passTo: config.passTo ?? others,
        model,
        tools,
        partTypes,
        recordPrompts: config.recordPrompts ?? recordPrompts,
      })
    },
  }
}
