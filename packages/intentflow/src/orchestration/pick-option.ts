import { ordinalOf, wordsOf } from './words.ts'

/** Something that can be chosen by words. */
export interface Option {
  readonly id: string
  readonly label: string
}

/** Which of some options an answer names: by its name, its id or its place. */
export function namedOption<Item extends Option>(options: readonly Item[], text: string): Item | undefined {
  const words = wordsOf(text)
  const said = words.map(({ stem }) => stem).join(' ')
  const whole = options.find(({ id, label }) => [id, label].some((name) => stems(name).join(' ') === said))
  const place = ordinalOf(words, options.length)
  return whole ?? (place === undefined ? undefined : options[place])
}

/** Which of some options an answer means: the one that it names, or the one that has most of its words for itself. */
export function pickOption<Item extends Option>(options: readonly Item[], text: string): Item | undefined {
  const named = namedOption(options, text)
  if (named !== undefined) return named
  const words = wordsOf(text)
  const scored = options.map((option) => {
    const own = new Set(stems(option.label))
    return { option, hits: words.filter(({ stem }) => own.has(stem) && onlyOf(options, option, stem)).length }
  })
  const [best, next] = scored.toSorted((one, other) => other.hits - one.hits)
  return best !== undefined && best.hits > (next?.hits ?? 0) ? best.option : undefined
}

function onlyOf<Item extends Option>(options: readonly Item[], one: Item, stem: string): boolean {
  return !options.some((other) => other !== one && stems(other.label).includes(stem))
}

function stems(text: string): string[] {
  return wordsOf(text).map(({ stem }) => stem)
}
