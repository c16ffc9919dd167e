const vowels = /[aeiouy]/

/** The text with words that are a slip away from one of the vocabulary put right; words of `names` stay. */
export function spelled(text: string, vocabulary: readonly string[], names: ReadonlySet<string> = new Set()): string {
  const known = new Set(vocabulary)
  return text.replaceAll(/\p{L}{5,}/gu, (written) => {
    const word = written.toLowerCase()
    if (known.has(word) || names.has(word)) return written
    return vocabulary.find((right) => right[0] === word[0] && isSlip(word, right)) ?? written
  })
}

/** One letter is missing, doubled, too many or a wrong vowel, or two have changed places. */
function isSlip(word: string, right: string): boolean {
  if (Math.abs(word.length - right.length) > 1 || word === `${right}s` || `${word}s` === right) return false
  let start = 0
  while (start < word.length && word[start] === right[start]) start += 1
  let end = 0
  while (end < Math.min(word.length, right.length) - start && word.at(-1 - end) === right.at(-1 - end)) end += 1
  const wrong = word.slice(start, word.length - end)
  const wanted = right.slice(start, right.length - end)
  if (wrong.length + wanted.length === 1) return true
  if (wrong.length === 1 && wanted.length === 1) return vowels.test(wrong) && vowels.test(wanted)
  return wrong.length === 2 && wanted.length === 2 && wrong[0] === wanted[1] && wrong[1] === wanted[0]
}
