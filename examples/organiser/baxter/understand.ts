import { dayIn, type DayNamed } from '@cool-ai/example-kit/day-words'
import { isForeign, smallTalkIn, type SmallTalk } from '@cool-ai/example-kit/small-talk'
import { spelled } from '@cool-ai/example-kit/spelling'
import { timeIn, type TimeNamed } from '@cool-ai/example-kit/time-words'

/** What the user wants of Baxter, as far as a script understands it. */
export type Wish =
  | { readonly kind: 'ask'; readonly message: string; readonly keep: boolean }
  | {
      readonly kind: 'add'
      readonly title: string
      readonly day?: Pick<DayNamed, 'date' | 'words'> | undefined
      readonly time?: Pick<TimeNamed, 'time' | 'words'> | undefined
    }
  /** What ExampleTravel has found goes into the plan. */
  | { readonly kind: 'keep' }
  | { readonly kind: 'remove'; readonly title: string }
  | { readonly kind: 'show'; readonly day?: string | undefined; readonly words?: string | undefined }
  /** What was put into the plan last, or what has that title, at another time. */
  | {
      readonly kind: 'move'
      readonly title?: string | undefined
      readonly day?: Pick<DayNamed, 'date' | 'words'> | undefined
      readonly time?: Pick<TimeNamed, 'time' | 'words'> | undefined
    }
  /** When something is that is in the plan. */
  | { readonly kind: 'when'; readonly title: string }
  /** Something that comes again and again, which the plan does not know. */
  | { readonly kind: 'repeating'; readonly title: string; readonly words: string }
  | { readonly kind: 'undo' }
  /** What Baxter cannot do, and the day that it is. */
  | { readonly kind: 'cannot'; readonly what: 'send' | 'weather' | 'today' }
  | { readonly kind: 'talk'; readonly talk: SmallTalk }
  | { readonly kind: 'foreign' }
  | { readonly kind: 'unclear' }

const askTravel =
  /\b(?:ask|tell) (?:the )?(?:example ?)?(?:travel(?: agent)?|sally)\b[\s,:]*(?:(?:for|about|to|if|whether)\s+)?(.+)$/is
const keepIt =
  /[,;]?\s*(?:and )?(?:then )?(?:put|add|write|enter|save|keep) (?:them|it|that|this|everything|all of (?:it|them)|the (?:flights?|hotels?|booking|trip|\w+ one|first|second|third|last)|my (?:booking|trip|flights?|hotel)) (?:in|into|to|on) (?:my |the )?(?:week|plan|calendar|diary)\b/i
const travelWords =
  /\bfl(?:y|ights?)\b|\bhotels?\b|\bcruises?\b|\bresearch\b|\b(?:basket|package|itinerary)\b|\bbook (?:it|them|that|now|everything)\b|\b(?!(?:to|in|on|of|at|by|or|is)\b)[A-Z][A-Z0-9] ?\d{3,4}\b/i
const journey =
  /\b(?:plan|organi[sz]e|arrange|find) (?:me |us )?(?:an? |my |our |the )?(?:\w+ )?(?:holidays?|trip|vacation|getaway|break|weekend) (?:to|in)\b/i
const undo =
  /^\W*(?:no,? |oh,? |please |sorry,? |wait,? |stop,? )*(?:undo(?: (?:that|it|this))?|cancel(?: (?:that|it|this))?|never ?mind|forget (?:it|that)|scrap that|take (?:that|it) back|go back)\b(?:\W*please)?\W*$/i
const remove =
  /^\W*(?:please |can you |could you )*(?:remove|delete|cancel|drop|take out|clear|empty)\s+(?:(?:the|my)\s+)?(.+?)(?:\s+(?:from|out of|in) (?:my |the )?(?:week|plan|calendar|diary))?[.!?\s]*$/is
const adding =
  /^\W*(?:please |can you |could you |and |also |then |plus |oh,? )*(?:add|put|plan|schedule|note(?: down)?|enter|write(?: down)?|remind me (?:to|about|of)|i have (?:an? )?|i(?:'|’)ve got (?:an? )?)\s*/i
const weekWords =
  /\b(?:week|plans?|planned|calendar|diary|schedule|agenda|appointments?|busy|free|what(?:'s| is|’s) on)\b/i
const toPlan = /\s*\b(?:in|into|to|on) (?:my |the )?(?:week|plan|calendar|diary)\b/gi

const dayWords = (
  'monday tuesday wednesday thursday friday saturday sunday tomorrow today tonight morning afternoon evening ' +
  'january february april august september october november december'
).split(' ')
const removesAll = /\b(?:cancel|remove|delete|clear|drop) (?:everything|both|all)\b/i
const cannot: readonly (readonly [Extract<Wish, { kind: 'cannot' }>['what'], RegExp])[] = [
  ['today', /^\W*what(?:'s|’s|s)? ?(?:is )?(?:the )?(?:time|day|date)(?: is it)?(?: today| now)?\W*$/i],
  ['weather', /^\W*(?:what|how|will|is)\b.*\b(?:weather|rain|sunny|snow)\b/i],
  [
    'send',
    /^\W*(?:please |can you |could you )*(?:e-?mail|text|send|forward|share|print)\b.*\b(?:it|that|this|them|me|week|plan|calendar|diary)\b/i,
  ],
]

function cannotIn(text: string): Wish | undefined {
  const what = cannot.find(([, pattern]) => pattern.test(text))?.[0]
  return what === undefined ? undefined : { kind: 'cannot', what }
}

/** Reads a message for what is wanted. Not clever: a real model takes this place as soon as there is a key. */
export function understand(said: string, today: string): Wish {
  // A script that looks at every word of a book blocks the other sessions.
  const text = spelled(said.slice(0, 2_000), dayWords)
  const asked = askTravel.exec(text)?.[1]
  if (asked !== undefined) return asking(asked)
  if (undo.test(text)) return { kind: 'undo' }
  if (isForeign(text)) return { kind: 'foreign' }
  if (keepIt.test(text) && !travelWords.test(text.replace(keepIt, ''))) return { kind: 'keep' }
  const honest = cannotIn(text)
  if (honest !== undefined) return honest
  if (removesAll.test(text)) return { kind: 'remove', title: 'everything' }
  const moved = moveIn(text, today)
  if (moved !== undefined) return moved
  const removed = remove.exec(text)?.[1]
  if (removed !== undefined) return { kind: 'remove', title: removed.trim() }
  if (travelWords.test(text) || journey.test(text)) return asking(text)
  const sought = when.exec(text)?.[1]
  if (sought !== undefined) return { kind: 'when', title: sought }
  const talk = smallTalkIn(text)
  return (
    repeatingIn(text) ??
    showIn(text, today) ??
    (talk === undefined || adding.test(text) ? addIn(text, today) : undefined) ??
    (talk === undefined ? { kind: 'unclear' } : { kind: 'talk', talk })
  )
}

const moving =
  /^\W*(?:no,? |sorry,? |oh,? |actually,? |please |can you |could you |and )*(?:(?:move|change|shift|reschedule|put|make) (?:it|that|this)\b|i (?:meant|mean)\b|(?:what|how) about\b(?=.*\binstead\b))/i

const corrected = /^\W*(?:(?:no|nope|sorry|oh|oops|actually|rather|wait|instead)\b[\s,.!:]*)+/i

const movingNamed =
  /^\W*(?:no,? |sorry,? |oh,? |actually,? |please |can you |could you |and )*(?:move|shift|reschedule|postpone|bring forward) (?:the |my |our )?(.+?) (?:to|until|till|on|at|by)\b/i
const when = /^\W*(?:and )?(?:when|what time|what day|which day)(?: is|'s|’s| are) (?:the |my |our )?(.+?)\W*$/i

/** “Move it to 2 pm”, “no, at 11”, “I meant Friday”, “move the dentist to Thursday”. */
function moveIn(text: string, today: string): Wish | undefined {
  const isCorrection = corrected.test(text)
  const title = moving.test(text) ? undefined : movingNamed.exec(text)?.[1]
  if (title === undefined && !moving.test(text) && !isCorrection) return undefined
  // “Change it to 11” is a time.
  const {
    day,
    time,
    rest: more,
  } = whenIn(moving.test(text) ? text.replace(/\bto (?=\d{1,2}\W*$)/i, 'at ') : text, today)
  // “No, at 11” has nothing but another time.
  const others = titleIn(more.replace(corrected, ''))
  if (title === undefined && !moving.test(text) && !/^(?:(?:at|on|for|to|it|is|it's|instead)\b\s*)*$/i.test(others))
    return undefined
  return day === undefined && time === undefined ? undefined : { kind: 'move', title, day, time }
}

const repeated =
  /\b(?:every|each)\s+(?:other\s+)?(?:day|week|month|year|morning|evening|(?:mon|tues|wednes|thurs|fri|satur|sun)day)s?\b|\b(?:daily|weekly|monthly|yearly)\b/i

/** “Gym every Monday”; a weekly meeting on a day is one like any other. */
function repeatingIn(text: string): Wish | undefined {
  const words = repeated.exec(text)?.[0]
  if (words === undefined || asksForDay.test(text) || !/\b(?:every|each)\b/i.test(words)) return undefined
  const title = titleIn(text.replace(repeated, ' '))
  return title === '' ? undefined : { kind: 'repeating', title, words }
}

function asking(text: string): Wish {
  const message = text
    .replace(keepIt, '')
    .replace(/[\s,;]+$/, '')
    .trim()
  return { kind: 'ask', message, keep: keepIt.test(text) }
}

const asksForDay =
  /^\W*(?:and )?(?:what|what'?s|what’s|when|which|how|do|does|am|is|are|have|any(?:thing)?|show|list|tell)\b/i

/** A question about a day or a week is no entry: “what do I have on Tuesday?”. */
function showIn(text: string, today: string): Wish | undefined {
  const isQuestion = asksForDay.test(text) && dayIn(text, { today }) !== undefined
  if (adding.test(text) || !(isQuestion || weekWords.test(text))) return undefined
  const named = dayIn(text, { today })
  return { kind: 'show', day: named === undefined ? undefined : named.date, words: named?.words }
}

/** Something to put into the plan: a title, and when it is. Without a day, what begins with “add” is one too. */
function addIn(text: string, today: string): Wish | undefined {
  const { day, time, rest } = whenIn(text, today)
  const isAdding = adding.test(text)
  if (!isAdding && day === undefined && (time === undefined || asksForDay.test(text))) return undefined
  const title = titleIn(rest)
  if (title === '') return undefined
  return {
    kind: 'add',
    title,
    day: day && { date: day.date, words: day.words },
    time: time && { time: time.time, words: time.words.replace(/^at\s+/i, '') },
  }
}

/** The day and the time that a text names, and what else it says. “Saturday morning” has a time too. */
export function whenIn(text: string, today: string) {
  const day = dayIn(text, { today })
  const part = partOfDayIn(text, day)
  const rest =
    day === undefined
      ? text
      : without(part === undefined ? text : text.replace(part.words, ' '.repeat(part.words.length)), day)
  const said = timeIn(rest)
  const time = said === undefined ? part && { time: part.time, words: '', index: 0 } : later(said, part)
  return { day, time, rest: said === undefined ? rest : without(rest, said) }
}

/** What is left of a sentence is the title. */
function titleIn(text: string): string {
  return text
    .replace(adding, '')
    .replace(/^\W*(?:and|also|then|plus)\s+/i, '')
    .replaceAll(toPlan, '')
    .replaceAll(/\b(?:please|for me)\b/gi, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/^[\s,.:;!?]+|[\s,.:;!?]+$/g, '')
    .replaceAll(/(?:\s(?:on|at|for|from|this|next|the))+$/gi, '')
}

interface PartOfDay {
  readonly words: string
  readonly time: string
}

const partsOfDay: Readonly<Record<string, string>> = {
  morning: '09:00',
  afternoon: '15:00',
  evening: '19:00',
  night: '20:00',
}

/** “Friday evening”, “in the afternoon”: a time that can be corrected. */
function partOfDayIn(text: string, day: DayNamed | undefined): PartOfDay | undefined {
  const after = day === undefined ? '' : text.slice(day.index + day.words.length)
  const [words, name = ''] =
    /^\s+(morning|afternoon|evening|night)\b/i.exec(after) ?? /\bin the (morning|afternoon|evening)\b/i.exec(text) ?? []
  const time = partsOfDay[name.toLowerCase()]
  return words === undefined || time === undefined ? undefined : { words, time }
}

/** Seven in the evening is 19:00. */
function later(named: TimeNamed, part: PartOfDay | undefined): TimeNamed {
  const { time } = named
  if (time === undefined || part === undefined || part.time < '12' || time >= '12') return named
  return { ...named, time: `${Number(time.slice(0, 2)) + 12}${time.slice(2)}` }
}

/** The text without what names a day or a time, and the word before it that belongs to it. */
function without(text: string, { words, index }: { readonly words: string; readonly index: number }): string {
  const before = text.slice(0, index).replace(/\s*\b(?:on|for|by|this|at|from)\s*$/i, ' ')
  return `${before} ${text.slice(index + words.length)}`
}
