import type { Actor } from '@cool-ai/beach-core'
import type { ActorReplay } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import { createModel } from '../models/create-model.ts'
import type { Model } from '../models/model.ts'
import { recordedModel } from '../models/recorded-model.ts'
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
    async within(place) {
      const model = await loaded()
      return llmActor({ ...configWithin(config, place), model })
    },
    replayed(replay) {
      const { runtime, instructions, model } = replay
      const changed = { ...config, ...defined({ runtime, instructions }) }
      if (model === undefined && instructions === undefined) return recordedActor(changed, replay)
      return llmActor({ ...changed, model: (model as Model | string | undefined) ?? config.model })
    },
  }
}

/** The configuration as one of an agent's actors has it. */
function configWithin(
  config: LlmActorConfig,
  { name, others, tools: offered, partTypes, recordPrompts }: Parameters<NonNullable<Actor['within']>>[0],
): LlmActorConfig {
  const context = completeConfig(config)
  return {
    ...config,
    name: config.name ?? name,
    passTo: config.passTo ?? others,
    tools: [...(config.tools ?? []), ...offered.filter((one) => !context.toolsByName.has(one.name))],
    partTypes: config.partTypes ?? partTypes ?? context.partTypes,
    recordPrompts: config.recordPrompts ?? recordPrompts,
  }
}

/** An actor whose model says in each turn what it has said in the record; no model is loaded for it. */
function recordedActor(config: LlmActorConfig, replay: ActorReplay): LlmActor {
  const playing = (turnId: string) => recordedModel(replay.answers(turnId), replay.lacking)
  const none = recordedModel({ commits: [], cut: [] }, replay.lacking)
  return {
    ...llmActor({ ...config, model: none }),
    run: (turn) => llmActor({ ...config, model: playing(turn.turnId) }).run(turn),
    within: (place) => recordedActor(configWithin(config, place), replay),
  }
}
