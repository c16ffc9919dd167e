import { numberIn, numberWord } from '@cool-ai/example-kit/number-words'

const children = String.raw`(?:child(?:ren)?|kids?|infants?|bab(?:y|ies)|toddlers?|teenagers?|sons?|daughters?)`
const people = String.raw`(?:people|persons?|adults?|passengers?|pax|travell?ers?|guests?|friends|tickets?|seats?|of us|grown-?ups)`
const relative = String.raw`(?:wife|husband|partner|girlfriend|boyfriend|fianc[eé]e?|friend|mum|mom|mother|dad|father|sister|brother|son|daughter)`
const notPeople = String.raw`(?:nights?|days?|weeks?|weekends?|months?|hours?|fortnight|pounds|quid|[:£]|[ap]m\b|st\b|nd\b|rd\b|th\b|of\s+(?!us)|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*)`

const withChildren = new RegExp(
  String.raw`\b${numberWord}\s+adults?\s*(?:and|,|plus|with|\+|&)\s*${numberWord}\s+${children}`,
  'i',
)
const counted = new RegExp(String.raw`\b${numberWord}(?:\s+(?:more|other))?\s+${people}\b`, 'i')
const group = new RegExp(String.raw`\b(?:family|party|group|table)\s+of\s+${numberWord}\b`, 'i')
const plain = new RegExp(
  String.raw`\b(?:for|we are|we're|we’re|make it|make that|only|just|there (?:are|will be))\s+(?:the\s+)?${numberWord}(?!\w)(?!\s*${notPeople})(?!-)`,
  'i',
)
const pair = new RegExp(
  String.raw`\b(?:me and (?:my|a)|with (?:my|a)|my ${relative} and)\s+(?:${relative}|i|me|myself)\b(?:\s*(?:,|and|plus)\s*(?:our|my|the)?\s*${numberWord}\s+${children})?`,
  'i',
)
const joining = new RegExp(
  String.raw`\b(?:with|and|plus|also|add|bring(?:ing)?)\s+(?:our |my |the )?${numberWord}\s+${children}|\b${numberWord}\s+(?:more|extra)\s+(?:${people}|${children})|\b${numberWord}\s+${children}\s+(?:as well|too|also)`,
  'i',
)
const meAnd = new RegExp(
  String.raw`\b(?:me|myself|i) and (?:my |our |the )?${numberWord}\s+(?:${children}|${relative}s|friends)`,
  'i',
)
const nobody = new RegExp(String.raw`\b(?:zero|0|no)\s+${people}\b`, 'i')
const couple = /\b(?:(?:the )?two of us|both of us|as a couple|a couple\b(?! of)|romantic)\b/i
const alone = /\b(?:just me|only me|just for me|on my own|by myself|alone|solo|just myself)\b/i

/** How many people a text adds to those of whom was spoken before: “with two kids as well”. */
export function joiningIn(text: string): number | undefined {
  return numberIn(joining.exec(text)?.slice(1).find(Boolean))
}

/** How many people a text speaks of; undefined when it does not say. */
export function peopleIn(text: string): number | undefined {
  if (nobody.test(text)) return 0
  const [, adults, kids] = withChildren.exec(text) ?? []
  if (adults !== undefined) return (numberIn(adults) ?? 0) + (numberIn(kids) ?? 0)
  const known = counted.exec(text)?.[1] ?? group.exec(text)?.[1]
  if (known !== undefined) return numberIn(known)
  const together = pair.exec(text)
  if (together !== null) return 2 + (numberIn(together[1]) ?? 0)
  const [, others] = meAnd.exec(text) ?? []
  if (others !== undefined) return 1 + (numberIn(others) ?? 0)
  if (couple.test(text)) return 2
  if (alone.test(text)) return 1
  const number = plain.exec(text)?.[1]
  return number === undefined || /^(?:an?|another|couple of)$/i.test(number) ? undefined : numberIn(number)
}

const stays = new RegExp(
  String.raw`\b${numberWord}[\s-]+(night|day|week)s?\b(?!\s+(?:later|earlier|before|after))`,
  'i',
)

/** How many nights a text speaks of; undefined when it does not say. */
export function nightsIn(text: string): number | undefined {
  if (/\blong weekend\b/i.test(text)) return 3
  if (/\bfortnight\b/i.test(text)) return 14
  if (/\b(?:for|over) (?:a|the|this|next) weekend\b|\bweekend (?:break|trip|away)\b/i.test(text)) return 2
  const [all = '', count, unit] = stays.exec(text.replaceAll(/\bin \w+ (?:days?|weeks?)\b/gi, '')) ?? []
  const number = numberIn(count)
  if (all === '' || number === undefined) return undefined
  return unit?.toLowerCase() === 'week' ? number * 7 : number
}
