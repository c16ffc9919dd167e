const quote = 34
const colon = 58
const backslash = 92

/**
 * True when an object of this JSON has the same key twice, however its characters are written. `JSON.parse` keeps the
 * last one, so that two readers of the same body could read two decisions in it. In valid JSON each member has one colon
 * outside of strings; when there are more of them than keys, one was lost.
 */
export function hasRepeatedKey(text: string, keys: number): boolean {
  let members = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === colon) members++
    else if (code === quote) at = stringEnd(text, at)
  }
  return members > keys
}

/** Where a string ends. Each backslash is looked at once more at the most, since it stands before one quote only. */
function stringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end - 1
    while (text.charCodeAt(before) === backslash) before--
    if ((end - before) % 2 === 1) return end
  }
  return text.length
}
