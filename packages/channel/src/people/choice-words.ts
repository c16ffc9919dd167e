import { lowerAscii, trimAscii } from './ascii.ts'
import { withoutClosing } from './decision-words.ts'

const maxLength = 60
const maxMessageLength = 200
const ordinals = 'first,second,third,fourth,fifth,sixth,seventh,eighth,ninth,tenth'.split(',')
const cardinals = 'one,two,three,four,five,six,seven,eight,nine,ten'.split(',')
/** Words that may stand next to the number of a choice without changing which one it is. */
const fillers: ReadonlySet<string> = new Set(
  'the,a,no,nr,number,option,item,choice,please,pls,ok,okay,yes,thanks,thank,you,i,i’ll,i’d,we,we’ll,let’s,will,would,like,want,to,go,with,take,choose,pick,select,have,get,give,me,us,add,book,buy,order,remove,delete,drop,open,show,more,about,tell,for,it,that,this,and,then,my,our'.split(
    ',',
  ),
)

/**
 * The number of the choice that a short text means, such as `2`, `#2`, `the second` or `book the 2nd one, please`;
 * undefined when it says anything else, or more than one number. `count` is how many choices there are.
 */
export function chosenNumber(said: string, count: number): number | undefined {
  const text = said.length > maxMessageLength ? said : withoutClosing(trimAscii(said))
  if (text.length > maxLength || count === 0) return undefined
  const words = lowerAscii(text)
    .replaceAll("'", '’')
    .split(/[\s,.!;:()#*"“”-]+/)
    .filter((word) => word !== '')
  const numbers = words.flatMap((word, index) => numberOf(word, words[index - 1], count) ?? [])
  const isOnly =
    numbers.length === 1 && words.every((word, index) => isPart(word, words[index - 1], count) || isNoun(words, index))
  const [number = 0] = numbers
  return isOnly && number >= 1 && number <= count ? number : undefined
}

function isPart(word: string, before: string | undefined, count: number): boolean {
  return fillers.has(word) || word === 'one' || word === 'ones' || numberOf(word, before, count) !== undefined
}

/** What the thing is, at the end: `the second flight`. */
function isNoun(words: readonly string[], index: number): boolean {
  const isLast = index === words.length - 1 && index > 1
  return isLast && ordinals.includes(words[index - 1] ?? '') && words[index - 2] === 'the'
}

/** `one` is a number by itself, and none after another one: `the second one`. */
function numberOf(word: string, before: string | undefined, count: number): number | undefined {
  const [, digits] = /^(\d{1,3})(?:st|nd|rd|th)?$/.exec(word) ?? []
  if (digits !== undefined) return Number(digits)
  if (word === 'last') return count
  const ordinal = ordinals.indexOf(word)
  if (ordinal !== -1) return ordinal + 1
  const isAlone = before === undefined || before === 'number' || before === 'option' || before === 'no'
  const cardinal = isAlone ? cardinals.indexOf(word) : -1
  return cardinal === -1 ? undefined : cardinal + 1
}
