import type { Actor, PartTypeRegistry, PlainTool } from '@cool-ai/beach-core'

/** The actors within the agent: with their names there, and models with the agent's tools. */
export async function actorsWithin(
  actors: Readonly<Record<string, Actor>>,
  offered: {
    readonly tools: readonly PlainTool[]
    readonly partTypes: PartTypeRegistry
    readonly recordPrompts: boolean
  },
): Promise<Record<string, Actor>> {
  const names = Object.keys(actors)
  const placed = Object.entries(actors).map(async ([name, actor]): Promise<[string, Actor]> => {
    const others = names.filter((other) => other !== name)
    return [name, (await actor.within?.({ name, others, ...offered })) ?? actor]
  })
  return Object.fromEntries(await Promise.all(placed))
}
