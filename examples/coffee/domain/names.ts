import { locations, type Location } from './locations.ts'
import { categories, categoryLabels, menu, milks, sizes, type Category, type Choice, type MenuItem } from './menu.ts'

interface Named {
  readonly id: string
  readonly name: string
  readonly also: readonly string[]
}

/** Raw words become ids of the catalogue here: by id, by name, by what else people call it, by the words in it. */
function called<Item extends Named>(items: readonly Item[], said: string): Item | undefined {
  const wanted = plain(said)
  if (wanted === '') return undefined
  const exact = items.find(({ id, name, also }) => id === said || [name, ...also].some((one) => plain(one) === wanted))
  if (exact !== undefined) return exact
  // "an oat cookie, warm" is an oat cookie; of several names in it the longest counts.
  const within = items.flatMap((item) => {
    const names = [item.name, ...item.also].map(plain).filter((name) => ` ${wanted} `.includes(` ${name} `))
    return names.length === 0 ? [] : [{ item, length: Math.max(...names.map((name) => name.length)) }]
  })
  return within.toSorted((one, other) => other.length - one.length)[0]?.item
}

export function itemCalled(said: string): MenuItem | undefined {
  return called(menu, said)
}

export function locationCalled(said: string): Location | undefined {
  return called(locations, said.replace(/^the /i, ''))
}

export function categoryCalled(said: string): Category | undefined {
  const wanted = plain(said)
  const words: Readonly<Record<Category, readonly string[]>> = {
    coffee: ['coffee', 'hot drink', 'espresso drink'],
    tea: ['tea', 'chocolate'],
    cold: ['cold', 'cold drink', 'iced', 'ice', 'iced drink'],
    bakery: ['bakery', 'food', 'pastry', 'pastrie', 'cake', 'snack', 'something to eat'],
  }
  return categories.find((id) => words[id].includes(wanted) || plain(categoryLabels[id]) === wanted)
}

export function sizeCalled(said: string): Choice | undefined {
  const also: Readonly<Record<string, string>> = {
    big: 'large',
    grande: 'large',
    regular: 'medium',
    tall: 'small',
    little: 'small',
  }
  return sizes.find(({ id }) => id === (also[plain(said)] ?? plain(said)))
}

export function milkCalled(said: string): Choice | undefined {
  const wanted = plain(said).replace(/ milk$/, '')
  const also: Readonly<Record<string, string>> = {
    skim: 'skimmed',
    'semi skimmed': 'skimmed',
    soya: 'soy',
    oatly: 'oat',
    dairy: 'whole',
    full: 'whole',
    normal: 'whole',
  }
  return milks.find(({ id }) => id === (also[wanted] ?? wanted))
}

/** In lower case, without accents, punctuation and plurals. */
function plain(text: string): string {
  return text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]+/g, ' ')
    .trim()
    .split(' ')
    .map((word) => (word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word))
    .join(' ')
}
