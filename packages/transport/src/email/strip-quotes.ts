import { trimAscii } from '../ascii.ts'

const longestText = 200_000
const mostLines = 5_000
const longestAttribution = 400

/** A mail's text without what it quotes. */
export interface StrippedText {
  /** Everything that its writer has added, answers between quoted lines too. */
  readonly text: string
  /** The first of it in one piece, before anything more is quoted, forwarded or signed. Only this can decide something. */
  readonly first: string
}

const writes = [
  'wrote:',
  'writes:',
  'schrieb:',
  'a écrit :',
  'a écrit:',
  'escribió:',
  'ha scritto:',
  'schreef:',
  'escreveu:',
  'skrev:',
]
const begins = ['on ', 'am ', 'le ', 'el ', 'il ', 'op ', 'em ', 'den ', 'på ']
const senders = ['from:', 'von:', 'de:', 'da:', 'van:', '*from:', 'från:', 'fra:']
const fields =
  'sent: date: to: cc: subject: gesendet: datum: an: betreff: envoyé: à: objet: enviado: para: asunto: inviato: a: oggetto: verzonden: aan: onderwerp: *sent: *date: *to: *subject:'.split(
    ' ',
  )
const separators = [
  '-----original message',
  '----- original message',
  '-----ursprüngliche nachricht',
  '---------- forwarded message',
  '-------- forwarded message',
  '-------- original message',
  '-------- weitergeleitete nachricht',
  'begin forwarded message:',
]
const phones = ['sent from my ', 'get outlook for ', 'von meinem ', 'envoyé de mon ']

/** Takes away quoted lines, what introduces them, forwarded mails and signatures. Looks at each line a few times at most. */
export function stripQuotes(text: string): StrippedText {
  const lines = text.slice(0, longestText).replaceAll('\r\n', '\n').replaceAll('\r', '\n').split('\n', mostLines)
  const kept: string[] = []
  /** Where the first fragment ends. */
  let first: number | undefined
  let isBegun = false
  const interrupt = () => {
    if (isBegun) first ??= kept.length
  }
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? ''
    const lower = line.slice(0, longestAttribution).trim().toLowerCase()
    const introducing = attributionLines(lower, lines, index)
    if (introducing > 0 && isQuoted(nextLine(lines, index + introducing))) {
      interrupt()
      index += introducing - 1
      continue
    }
    if (introducing > 0 || isEnd(line, lower, lines, index)) break
    if (isQuoted(lower)) {
      dropAttribution(kept)
      interrupt()
      continue
    }
    isBegun ||= lower !== ''
    kept.push(line)
  }
  const join = (some: readonly string[]) => trimAscii(some.join('\n'))
  return {
    text: join(kept),
    first: join(kept.slice(0, first === undefined ? kept.length : Math.min(first, kept.length))),
  }
}

function isQuoted(lower: string): boolean {
  return lower.startsWith('>') || lower.startsWith('|>')
}

/** The next line that says something, of the next few. */
function nextLine(lines: readonly string[], from: number): string {
  return (
    lines
      .slice(from, from + 4)
      .map((line) => line.slice(0, 10).trim())
      .find((line) => line !== '') ?? ''
  )
}

/** Whether nothing of what follows is the writer's own: a signature, a forwarded mail, or one that is quoted whole. */
function isEnd(line: string, lower: string, lines: readonly string[], index: number): boolean {
  if (line === '-- ' || line === '--' || phones.some((phone) => lower.startsWith(phone))) return true
  if (separators.some((separator) => lower.startsWith(separator)) || isRule(lower)) return true
  return isHeaderBlock(lower, lines, index)
}

/** A line of underscores, as Outlook puts before what it quotes. */
function isRule(lower: string): boolean {
  if (lower.length < 20 || !lower.startsWith('____')) return false
  for (const character of lower) if (character !== '_') return false
  return true
}

/** How many lines `On …, somebody wrote:` takes, at most three; none when this is something else. */
function attributionLines(lower: string, lines: readonly string[], index: number): number {
  if (!begins.some((begin) => lower.startsWith(begin))) return 0
  let whole = lower
  for (let count = 1; count <= 3 && whole.length <= longestAttribution; count++) {
    if (writes.some((write) => whole.endsWith(write))) return /\d/.test(whole) || whole.includes('@') ? count : 0
    const next = (lines[index + count] ?? '').slice(0, longestAttribution).trim().toLowerCase()
    if (next === '' || isQuoted(next)) return 0
    whole = `${whole} ${next}`
  }
  return 0
}

/** `From: … Sent: … To: …`, as some programs put before what they quote. */
function isHeaderBlock(lower: string, lines: readonly string[], index: number): boolean {
  if (!senders.some((sender) => lower.startsWith(sender))) return false
  const next = lines.slice(index + 1, index + 6).map((line) => line.slice(0, 40).trim().toLowerCase())
  return next.filter((line) => fields.some((field) => line.startsWith(field))).length >= 2
}

/** The line or two that introduce what is quoted next, in whatever language: it ends with a colon. */
function dropAttribution(kept: string[]): void {
  let last = kept.length - 1
  while (last >= 0 && last > kept.length - 3 && kept[last]?.trim() === '') last--
  const line = kept[last]?.trim() ?? ''
  if (!line.endsWith(':') || line.length > longestAttribution || !(/\d/.test(line) || line.includes('@'))) return
  kept.length = last
}
