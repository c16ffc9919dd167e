import { BeachError, type Actor } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import type { LlmActor, Model } from '@cool-ai/beach-llm'
import type { BeachOptions } from '../beach-options.ts'

/** What an evaluated agent is made with. */
export type EvaluatedAgent = Pick<BeachOptions, 'actors'> & Partial<BeachOptions>

/** A variant of the agent, to be compared with others. */
export interface Variant {
  /** Plays every `llmActor`: a model, or its id. */
  readonly model?: Model | string | undefined
  /** The instructions of the actor that begins each turn. */
  readonly instructions?: string | undefined
}

/** The actors of a variant. */
export function variedActors(
  { actors, entry = Object.keys(actors)[0] }: EvaluatedAgent,
  { model, instructions }: Variant,
): Record<string, Actor> {
  const isLlm = (actor: Actor | undefined): actor is LlmActor => actor !== undefined && 'with' in actor
  if (model !== undefined && !Object.values(actors).some(isLlm)) throw wrong('No actor is played by a model.')
  if (instructions !== undefined && !isLlm(actors[entry ?? ''])) {
    throw wrong(`The actor '${entry}', which begins each turn, is not played by a model and has no instructions.`)
  }
  const varied = Object.entries(actors).map(([name, actor]): [string, Actor] => {
    if (!isLlm(actor)) return [name, actor]
    const changes = {
      ...defined({ model }),
      ...(name === entry && instructions !== undefined && { instructions }),
    }
    return [name, Object.keys(changes).length === 0 ? actor : actor.with(changes)]
  })
  return Object.fromEntries(varied)
}

function wrong(problem: string): BeachError {
  return new BeachError('INVALID_CONFIGURATION', `${problem} This agent cannot be compared by that.`)
}
