import { daysIn } from '@cool-ai/example-kit/day-words'
import { placesIn } from './place-words.ts'
import type { SoFar } from './said-so-far.ts'

/** What a question is about that no search answers. */
export type Topic =
  | 'cheaper'
  | 'budget'
  | 'meals'
  | 'stars'
  | 'class'
  | 'duration'
  | 'sending'
  | 'paying'
  | 'cancelling'
  | 'changing-day'
  | 'advice'
  | 'offers'
  | 'contact'
  | 'transfer'
  | 'entry'
  | 'of-flights'
  | 'of-hotels'
  | 'not-sold'

/** `£300`, `300 pounds`: the number is in one of the groups. */
export const money = /£\s?(\d[\d,]*)|\b(\d[\d,]*)\s?(?:pounds|quid|gbp|£)/i

const topics: readonly (readonly [Topic, RegExp])[] = [
  [
    'sending',
    /\b(?:e-?mail|text|message|send|forward|share|print)\b.*\b(?:it|that|this|them|these|me (?:the|a)|list|details|e-?mail|phone|whatsapp|sms)\b/i,
  ],
  [
    'class',
    /\b(?:business|first|premium|economy)[ -](?:class|economy)\b|\bupgrades?\b|^\W*(?:in )?(?:business|premium)\W*$|\b(?:fly|go|travel) (?:in )?business\b/i,
  ],
  ['cancelling', /\bcancel\b.*\b(?:free|charges?|fees?|costs?|later)\b|\bcancellations?\b|\brefundable\b/i],
  [
    'paying',
    /\b(?:can|could|may|do|must|should|how (?:do|can|does)) (?:i|we|one) (?:have to |need to )?pay\b|\b(?:credit|debit) card\b|\bpaypal\b|\binstal?ments\b|\bdeposit\b/i,
  ],
  ['offers', /\b(?:deals?|discounts?|special offers?|promotions?|vouchers?|coupons?)\b/i],
  [
    'contact',
    /\b(?:phone|telephone) number\b|\bcan i (?:call|phone|ring)\b|\bopening (?:hours|times)\b|\bare you (?:open|closed)\b|\byour (?:office|address|website)\b/i,
  ],
  ['transfer', /\btransfers?\b|\b(?:from|to) the airport\b|\btaxis?\b|\bget around\b|\bpublic transport\b/i],
  [
    'entry',
    /\bvisas?\b|\bpassports?\b|\bcurrency\b|\bvaccin\w+\b|\bis it safe\b|\btime difference\b|\bwhat language\b/i,
  ],
  ['not-sold', /\binsurance\b|\b(?:rent|hire|rental|car)\b.*\b(?:cars?|hire|rental)\b|\btrains?\b/i],
  [
    'changing-day',
    /\b(?:change|move|shift|different|another|other)\b.*\b(?:dates?|days?)\b(?! (?:later|earlier|trip))/i,
  ],
  ['meals', /\bbreakfasts?\b|\b(?:half|full)[ -]board\b|\ball[ -]inclusive\b|\bmeals?\b|\bdinners?\b/i],
  ['stars', /\b(?:[1-5]|one|two|three|four|five)[ -]stars?\b|\bhow many stars\b/i],
  ['duration', /\bhow (?:long|many hours)\b(?!.*\b(?:stay|nights?|booked|ago)\b)|\bflight time\b|\bduration\b/i],
  [
    'of-hotels',
    /\b(?:swimming )?pools?\b|\bbeach(?:es)?\b|\bparking\b|\bgym\b|\bspa\b|\b(?:sea|ocean) views?\b|\bbalcon(?:y|ies)\b|\bair[ -]con\w*\b|\bkitchen\b|\bhow far\b|\bcheck[ -]?in time\b/i,
  ],
  [
    'of-flights',
    /\b(?:luggage|baggage|suitcases?|(?:cabin |hand )?bags?|legroom|window seat|aisle seat|seats? together)\b|\b(?:bring|take) (?:my|our|a) \w+$/i,
  ],
  ['of-hotels', /\bwi-?fi\b|\b(?:dogs?|cats?|pets?)\b|\bwheelchair\b|\bcots?\b/i],
  [
    'advice',
    /\b(?:recommend|suggest|advise)\w*\b|\bwhich (?:one )?(?:is|are|would|do you|should)\b.*\b(?:best|better|nice|take|choose|prefer|pick)\w*\b|\bwhat (?:would|do) you (?:do|take|choose|think|pick)\b|\bsurprise me\b|\b(?:you|your) (?:choose|decide|pick|choice|favou?rite)\b|\bup to you\b|\bpopular\b|\bany ideas\b|\binspire me\b|\bwhere (?:should|can|could|would) (?:i|we|you) (?:go|travel|fly)\b/i,
  ],
]

const about = /^\W*(?:is|are|do|does|what|which|how|can|could|has|have|any|with|and)\b|\?\W*$/i
const ofShown: ReadonlySet<Topic> = new Set(['meals', 'stars', 'of-hotels', 'duration', 'of-flights'])
const anywhere: ReadonlySet<Topic> = new Set([
  'class',
  'transfer',
  'entry',
  'contact',
  'paying',
  'cancelling',
  'sending',
])
const costly = /\bcheaper\b|\btoo (?:expensive|dear|pricey|much)\b|\bless expensive\b|\blower price\b/i
const limit =
  /\b(?:budget|under|below|less than|up to|at most|max(?:imum)?|within|afford|spend|only have|i have|no more than)\b/i

/** What a text asks besides searches and choices; undefined when it asks for one of these, or nothing. */
export function questionIn(text: string, { shown, last }: SoFar, today: string): Topic | undefined {
  if (/\bitinerary\b|\bcalendar\b/i.test(text)) return undefined
  const { destination, origin, among, unknown } = placesIn(text)
  const hasPlace = [destination, origin, among, unknown].some((place) => place !== undefined)
  const topic = topics.find(([, pattern]) => pattern.test(text))?.[0]
  if (topic !== undefined && anywhere.has(topic)) return topic
  if (hasPlace) return undefined
  // Flights are sorted, and looked for again.
  if (costly.test(text)) return shown === undefined || shown.kind === 'flights' ? undefined : 'cheaper'
  if (limit.test(text) && money.test(text)) return 'budget'
  if (topic === 'changing-day') return daysIn(text, { today }).length === 0 ? topic : undefined
  if (topic === undefined || !ofShown.has(topic)) return topic
  // “Hotels with a pool” are looked for; of those that are shown it is asked.
  const isShown = shown !== undefined || last === 'package'
  return isShown && (about.test(text) || !/\b(?:find|show|look|search|need|want)\b/i.test(text)) ? topic : undefined
}
