/**
 * Whether an Authentication-Results header says, in the name of the server that we trust, that a mail is really of the
 * domain in its From. Comments are taken away; what is quoted can say nothing.
 */
export function dmarcPassIn(header: string, authservId: string, domain: string): boolean {
  const plain = withoutComments(header.slice(0, 10_000))
  const [server = '', ...results] = plain.split(';').map((piece) => piece.trim().toLowerCase())
  if (server.split(/\s+/)[0] !== authservId.toLowerCase()) return false
  const verdicts = results.filter((result) => /^dmarc\s*=/.test(result))
  const [verdict] = verdicts
  if (verdict === undefined || verdicts.length > 1) return false
  const words = verdict.replaceAll(/\s*=\s*/g, '=').split(/\s+/)
  return words[0] === 'dmarc=pass' && words.includes(`header.from=${domain}`)
}

/** Whether such a header says that the sender's domain speaks against the mail. */
export function isDoubted(header: string, authservId: string): boolean {
  const [server = '', ...results] = withoutComments(header.slice(0, 10_000))
    .split(';')
    .map((piece) => piece.trim().toLowerCase())
  if (server.split(/\s+/)[0] !== authservId.toLowerCase()) return false
  return results.some((result) => /^(?:dmarc|spf)\s*=\s*(?:fail|softfail|permerror)\b/.test(result))
}

function withoutComments(text: string): string {
  let plain = ''
  let depth = 0
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? ''
    if (character === '\\') at++
    else if (character === '"' && depth === 0) isQuoted = !isQuoted
    else if (isQuoted) continue
    else if (character === '(') depth++
    else if (character === ')') depth = Math.max(0, depth - 1)
    else if (depth === 0) plain += character
  }
  return plain
}
