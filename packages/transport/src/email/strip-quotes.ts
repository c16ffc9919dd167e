const longestText = 200_000
const mostLines = 5_000
const longestAttribution = 400

/** A mail's text without what it quotes. */
export interface StrippedText {
  /** Everything that its writer has added, answers between quoted lines too. */
  readonly text: string
  /** What stands before anything quoted, forwarded or signed. Only this can decide something. */
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
const fields = [
  ...['sent:', 'date:', 'to:', 'cc:', 'subject:', 'gesendet:', 'datum:', 'an:', 'betreff:', 'envoyé:', 'à:', 'objet:'],
  ...['enviado:', 'para:', 'asunto:', 'inviato:', 'a:', 'oggetto:', 'verzonden:', 'aan:', 'onderwerp:'],
  ...['*sent:', '*date:', '*to:', '*subject:'],
]
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

/** Takes away quoted lines, what introduces them, forwarded mails and signatures. Looks at each line once. */
export function stripQuotes(text: string): StrippedText {
  const lines = text.slice(0, longestText).replaceAll('\r\n', '\n').replaceAll('\r', '\n').split('\n', mostLines)
  const kept: string[] = []
  let first: number | undefined
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? ''
    const lower = line.slice(0, longestAttribution).trim().toLowerCase()
    if (isEnd(line, lower, lines, index)) {
      first ??= kept.length
      break
    }
    if (lower.startsWith('>') || lower.startsWith('|>')) {
      dropAttribution(kept)
      first = Math.min(first ?? kept.length, kept.length)
      continue
    }
    kept.push(line)
  }
  const join = (some: readonly string[]) => some.join('\n').trim()
  return { text: join(kept), first: join(kept.slice(0, first ?? kept.length)) }
}

/** Whether nothing of what follows is the writer's own: a signature, a forwarded mail, or one that is quoted whole. */
function isEnd(line: string, lower: string, lines: readonly string[], index: number): boolean {
  if (line === '-- ' || line === '--' || phones.some((phone) => lower.startsWith(phone))) return true
  if (separators.some((separator) => lower.startsWith(separator)) || isRule(lower)) return true
  return isAttribution(lower, lines, index) || isHeaderBlock(lower, lines, index)
}

/** A line of underscores, as Outlook puts before what it quotes. */
function isRule(lower: string): boolean {
  if (lower.length < 20 || !lower.startsWith('____')) return false
  for (const character of lower) if (character !== '_') return false
  return true
}

/** `On …, somebody wrote:`, on up to three lines. */
function isAttribution(lower: string, lines: readonly string[], index: number): boolean {
  if (!begins.some((begin) => lower.startsWith(begin))) return false
  let whole = lower
  for (let more = 0; more < 3 && whole.length <= longestAttribution; more++) {
    if (writes.some((write) => whole.endsWith(write))) return /\d/.test(whole) || whole.includes('@')
    const next = (lines[index + more + 1] ?? '').slice(0, longestAttribution).trim().toLowerCase()
    if (next === '' || next.startsWith('>')) return false
    whole = `${whole} ${next}`
  }
  return false
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
