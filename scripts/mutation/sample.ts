/** A seeded order, spread evenly: one of each list in turn, until there are `count`. */
export function sample<Item>(lists: readonly (readonly Item[])[], count: number, seed: number): Item[] {
  const random = numbers(seed)
  const rest = shuffled(lists, random).map((list) => shuffled(list, random))
  const taken: Item[] = []
  while (taken.length < count && rest.some((list) => list.length > 0)) {
    for (const list of rest) {
      const item = list.pop()
      if (item !== undefined && taken.length < count) taken.push(item)
    }
  }
  return taken
}

function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  const all = items.map((item) => ({ item, place: random() }))
  return all.toSorted((one, other) => one.place - other.place).map(({ item }) => item)
}

function numbers(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
