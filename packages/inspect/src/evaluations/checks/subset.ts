/**
 * Where a value lacks what is expected of it, as a path such as `.flights[0].price`; undefined when it has all of it. Objects may
 * have more members than is expected; lists have as many items, in the same order.
 */
export function missingFrom(actual: unknown, expected: unknown, at = ''): string | undefined {
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return at === '' ? '.' : at
    return firstOf(expected, (item, index) => missingFrom(actual[index], item, `${at}[${index}]`))
  }
  if (typeof expected !== 'object' || expected === null) return Object.is(actual, expected) ? undefined : at || '.'
  if (typeof actual !== 'object' || actual === null || Array.isArray(actual)) return at === '' ? '.' : at
  return firstOf(Object.entries(expected), ([name, item]) => {
    return Object.hasOwn(actual, name)
      ? missingFrom((actual as Record<string, unknown>)[name], item, `${at}.${name}`)
      : `${at}.${name}`
  })
}

/** Whether two values of JSON are the same, whatever the order of their members. */
export function isSame(one: unknown, other: unknown): boolean {
  return missingFrom(one, other) === undefined && missingFrom(other, one) === undefined
}

function firstOf<Item>(items: readonly Item[], find: (item: Item, index: number) => string | undefined) {
  for (const [index, item] of items.entries()) {
    const found = find(item, index)
    if (found !== undefined) return found
  }
  return undefined
}
