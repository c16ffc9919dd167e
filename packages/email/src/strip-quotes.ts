import { trimAscii } from '@cool-ai/beach-channel/people'

const maxTextLength = 200_000
const maxLines = 5_000
const maxAttributionLength = 400

interface StrippedOthers {
  readonly what: 'quoted' | 'forwarded' | 'signature'
  readonly text: string
}

/** A mail's text without quotations. */
export interface StrippedText {
  /** Everything that its writer has added, answers between quoted lines too. */
  readonly text: string
  /** What others have written: what is quoted and forwarded, and below a signature's mark. */
  readonly others: readonly StrippedOthers[]
  /** The first piece of it, before anything more is quoted, forwarded or signed. Only this can decide something. */
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
const senders =
  'from:|von:|de:|da:|van:|från:|fra:|od:|от:|от кого:|від:|lähettäjä:|kimden:|feladó:|expeditor:|发件人:|寄件者:|差出人:|送信元:|보낸 사람:|من:|מאת:'.split(
    '|',
  )
const fields =
  'sent:|date:|to:|cc:|subject:|gesendet:|datum:|an:|betreff:|envoyé:|date d’envoi:|à:|objet:|enviado:|enviada:|enviado em:|para:|asunto:|assunto:|fecha:|data:|inviato:|a:|oggetto:|verzonden:|aan:|onderwerp:|skickat:|till:|ämne:|sendt:|til:|emne:|wysłano:|do:|temat:|отправлено:|дата:|кому:|тема:|lähetetty:|vastaanottaja:|aihe:|gönderildi:|kime:|konu:|发送时间:|日期:|收件人:|主题:|主旨:|送信日時:|日付:|宛先:|件名:|보낸 날짜:|받는 사람:|제목:'.split(
    '|',
  )
const forwards =
  /^(?:begin forwarded message|anfang der weitergeleiteten nachricht|début du message (?:réexpédié|transféré)|inicio del mensaje reenviado|inizio messaggio inoltrato|begin doorgestuurd bericht|início da mensagem (?:reencaminhada|encaminhada)|vidarebefordrat brev|start på videresendt|начало переадресованного сообщения|转发的邮件|転送されたメッセージ|전달된 메시지)/
const ruled = /^[-=*_–—―]{3,}[^-=*_–—―].{0,200}[-=*_–—―]{3,}$/
const label = /^[\p{L}][\p{L} .'’-]{0,24}:/u
const separators = [
  '-----original message',
  '----- original message',
  '-----ursprüngliche nachricht',
  '---------- forwarded message',
  '-------- forwarded message',
  '-------- original message',
  '-------- weitergeleitete nachricht',
]
const phones = ['sent from my ', 'get outlook for ', 'von meinem ', 'envoyé de mon ']

/**
 * Removes quoted lines, their introductions, forwarded mails and signatures. Looks at each line a few times at most.
 */
export function stripQuotes(text: string): StrippedText {
  const all = text
    .slice(0, text.length > maxTextLength ? maxTextLength - 2 : maxTextLength)
    .replaceAll('\r\n', '\n')
    .replaceAll('\r', '\n')
    .split('\n', maxLines + 1)
  const isCut = text.length > maxTextLength || all.length > maxLines
  // A reader of the rest must be able to see that there was more.
  const lines = isCut ? [...all.slice(0, maxLines), '…'] : all
  const kept: string[] = []
  const quoted: string[] = []
  const others: StrippedOthers[] = []
  /** Where the first fragment ends. */
  let first: number | undefined
  let isBegun = false
  const interrupt = () => {
    if (isBegun) first ??= kept.length
  }
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? ''
    const lower = line.slice(0, maxAttributionLength).trim().toLowerCase()
    const introducing = attributionLines(lower, lines, index)
    if (introducing > 0 && isQuoted(nextLine(lines, index + introducing))) {
      interrupt()
      quoted.push(...lines.slice(index, index + introducing))
      index += introducing - 1
      continue
    }
    const end = introducing > 0 ? 'quoted' : endOf(line, lower, lines, index)
    if (end !== undefined) {
      others.push({ what: end, text: lines.slice(index).join('\n').trim() })
      break
    }
    if (isQuoted(lower)) {
      quoted.push(...takenAttribution(kept), line)
      interrupt()
      continue
    }
    isBegun ||= lower !== ''
    kept.push(line)
  }
  const join = (some: readonly string[]) => trimAscii(some.join('\n'))
  const quotes: StrippedOthers[] = quoted.length === 0 ? [] : [{ what: 'quoted', text: join(quoted) }]
  return {
    text: join(kept),
    others: [...quotes, ...others],
    first: join(kept.slice(0, first === undefined ? kept.length : Math.min(first, kept.length))),
  }
}

/** A mark that programs put before lines that they quote, initials of their writer before it too. */
function isQuoted(lower: string): boolean {
  return /^(?:[>＞›»|]|[\p{L}]{1,12}>)/u.test(lower)
}

/** The next line that is not empty, of the next few. */
function nextLine(lines: readonly string[], from: number): string {
  return (
    lines
      .slice(from, from + 4)
      .map((line) => line.slice(0, 10).trim())
      .find((line) => line !== '') ?? ''
  )
}

/** Why everything from here on is foreign; undefined when it may be the writer's own. */
function endOf(
  line: string,
  lower: string,
  lines: readonly string[],
  index: number,
): StrippedOthers['what'] | undefined {
  if (line === '-- ' || line === '--' || phones.some((phone) => lower.startsWith(phone))) return 'signature'
  const isSeparator = separators.some((separator) => lower.startsWith(separator)) || ruled.test(lower)
  if (isSeparator || forwards.test(lower)) return 'forwarded'
  return isRule(lower) || isHeaderBlock(lower, lines, index) ? 'quoted' : undefined
}

/** A line of underscores, as Outlook puts before what it quotes. */
function isRule(lower: string): boolean {
  if (lower.length < 20 || !lower.startsWith('____')) return false
  for (const character of lower) if (character !== '_') return false
  return true
}

/** How many lines an introduction like `On …, Anna wrote:` takes, at most three; none when this is something else. */
function attributionLines(lower: string, lines: readonly string[], index: number): number {
  if (!begins.some((begin) => lower.startsWith(begin))) return 0
  let whole = lower
  for (let count = 1; count <= 3 && whole.length <= maxAttributionLength; count++) {
    if (writes.some((write) => whole.endsWith(write))) return /\d/.test(whole) || whole.includes('@') ? count : 0
    const next = (lines[index + count] ?? '').slice(0, maxAttributionLength).trim().toLowerCase()
    if (next === '' || isQuoted(next)) return 0
    whole = `${whole} ${next}`
  }
  return 0
}

/** `From: … Sent: … To: …`, as some programs put before what they quote. */
function isHeaderBlock(lower: string, lines: readonly string[], index: number): boolean {
  const first = headerLine(lower)
  const isSender = senders.some((sender) => first.startsWith(sender))
  // A sender with an address in an unknown language.
  const hasAddress = label.test(first) && /<[^<>\s@]{1,64}@[^<>\s@]{1,200}>/.test(first)
  if (!isSender && !hasAddress) return false
  const next = lines.slice(index + 1, index + 6).map((line) => headerLine(line.slice(0, 60).trim().toLowerCase()))
  const named = next.filter((line) => fields.some((field) => line.startsWith(field))).length
  return named >= 2 || (hasAddress && (named >= 1 || next.filter((line) => label.test(line)).length >= 2))
}

/** A line as a header may be written in a mail: in bold, with a wide colon or a space before it. */
function headerLine(lower: string): string {
  return lower.replaceAll('*', '').replace(/\s*[:：]/, ':')
}

/** The line that introduces the next quotation, in any language: it ends with a colon. It is removed too. */
function takenAttribution(kept: string[]): string[] {
  let last = kept.length - 1
  while (last >= 0 && last > kept.length - 3 && kept[last]?.trim() === '') last--
  const line = kept[last]?.trim() ?? ''
  if (!line.endsWith(':') || line.length > maxAttributionLength || !(/\d/.test(line) || line.includes('@'))) return []
  return kept.splice(last)
}
