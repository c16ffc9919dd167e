import { numberIn, numberWord } from './number-words.ts'

/** A time of day that a text names. */
export interface TimeNamed {
  /** As 10:30; undefined for one that does not exist. */
  readonly time: string | undefined
  readonly words: string
  readonly index: number
}

const clock = /\b(?:at\s+)?(\d{1,2})[:.](\d{2})\s*([ap]\.?m\b\.?)?/i
const hour = /\b(?:at\s+)?(\d{1,2})\s*([ap]\.?m\b\.?|o[’']?clock\b)/i
const atHour = /\bat\s+(\d{1,2})\b(?![-/\d])/i
const past = new RegExp(String.raw`\b(?:at\s+)?(half|quarter)\s+(past|to)\s+${numberWord}\b`, 'i')
const named = /\b(?:at\s+)?(noon|midday|lunch ?time|midnight)\b/i

/** The time that a text names; undefined when it names none. */
export function timeIn(text: string): TimeNamed | undefined {
  const found = [
    read(named, text, ([word = '']) => (/midnight/i.test(word) ? '00:00' : '12:00')),
    read(past, text, ([part = '', side, count]) => {
      const minutes = /half/i.test(part) ? 30 : 15
      const whole = numberIn(count) ?? 0
      return side?.toLowerCase() === 'to'
        ? timeOf(byDay(whole - 1, text), 60 - minutes)
        : timeOf(byDay(whole, text), minutes)
    }),
    read(clock, text, ([hours, minutes, half]) => timeOf(Number(hours), Number(minutes), half)),
    read(hour, text, ([hours, half]) => timeOf(Number(hours), 0, half)),
    read(atHour, text, ([hours]) => timeOf(byDay(Number(hours), text), 0)),
  ]
  return found.find((time) => time !== undefined)
}

/** Lunch at one is at 13:00: from one to six is in the afternoon, unless the text says that it is not. */
function byDay(hours: number, text: string): number {
  return hours >= 1 && hours <= 6 && !/\b(?:morning|night|early)\b/i.test(text) ? hours + 12 : hours
}

function read(
  pattern: RegExp,
  text: string,
  timeFrom: (groups: readonly (string | undefined)[]) => string | undefined,
): TimeNamed | undefined {
  const match = pattern.exec(text)
  return match === null ? undefined : { time: timeFrom(match.slice(1)), words: match[0].trim(), index: match.index }
}

function timeOf(hours: number, minutes: number, half = ''): string | undefined {
  const isAfternoon = /^p/i.test(half) && hours < 12
  const isMidnight = /^a/i.test(half) && hours === 12
  const real = isMidnight ? 0 : isAfternoon ? hours + 12 : hours
  if (real < 0 || real > 23 || minutes > 59) return undefined
  return `${String(real).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`
}
