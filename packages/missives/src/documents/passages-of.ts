const maxLength = 1_200
const heading = /^#{1,6} /

/**
 * A text in passages that can be read by themselves: paragraphs stay whole and are put together up to 1,200 characters; a
 * heading of Markdown begins a passage. Longer paragraphs are cut at the end of a sentence, or of a word.
 */
export function passagesOf(text: string): readonly string[] {
  const passages: string[] = []
  let open = ''
  for (const paragraph of text.replaceAll('\r\n', '\n').split(/\n[^\S\n]*\n/)) {
    for (const piece of pieces(paragraph.trim())) {
      const isFull = open.length + piece.length + 2 > maxLength
      if (open !== '' && (isFull || (heading.test(piece) && !isHeadingOnly(open)))) {
        passages.push(open)
        open = ''
      }
      open = open === '' ? piece : `${open}\n\n${piece}`
    }
  }
  return open === '' ? passages : [...passages, open]
}

/** A title above a chapter's first heading stays with that. */
function isHeadingOnly(text: string): boolean {
  return text.split('\n').every((line) => line === '' || heading.test(line))
}

function* pieces(paragraph: string): Generator<string> {
  let rest = paragraph
  while (rest.length > maxLength) {
    const end = endOf(rest)
    yield rest.slice(0, end).trim()
    rest = rest.slice(end).trim()
  }
  if (rest !== '') yield rest
}

function endOf(text: string): number {
  const room = text.slice(0, maxLength)
  const sentence = Math.max(...['. ', '! ', '? ', '。', '\n'].map((sign) => room.lastIndexOf(sign)))
  if (sentence > maxLength / 2) return sentence + 1
  const word = room.lastIndexOf(' ')
  if (word > maxLength / 2) return word
  // Half of a character is none.
  return room.isWellFormed() ? maxLength : maxLength - 1
}
