import { Resolver } from 'node:dns/promises'
import { domainOf } from './address.ts'
import type { DnsResolver } from './options.ts'
import type { ReadMail } from './read-mail.ts'

/**
 * Whether a mail is authentic: proven, not proven either way, doubtful by its domain's SPF or DMARC, forged by the
 * domain's own rules, or undecided now, since the DNS did not answer.
 */
export type Authenticity = 'proven' | 'unproven' | 'doubtful' | 'forged' | 'undetermined'

/** How a mail came in, as far as that matters for its authenticity. */
export interface MailArrival {
  /** The connection that it came by; only where we were the server. */
  readonly connection?: { readonly ip: string; readonly helo: string; readonly sender: string }
  /** Whose Authentication-Results count; only where such a server is in front of the mailbox. */
  readonly authservId?: string
}

export interface AuthenticityOptions {
  readonly dns?: DnsResolver | undefined
  /** The name of this server, for the record. */
  readonly host: string
}

/** Each is looked up in the DNS: a mail with many is meant to cause load. */
const maxSignatures = 10
const resolver = new Resolver({ timeout: 3_000, tries: 2 })
const defaultDns: DnsResolver = async (domain, type) => (await resolver.resolve(domain, type)) as string[][] | string[]

/**
 * Checks a mail by DMARC: an aligned signature over all of it, or an aligned sender that its domain lets send. Where a
 * server in front has done so, the topmost Authentication-Results is asked instead, and only if it is that server's.
 */
export async function authenticity(
  raw: Buffer,
  mail: ReadMail,
  { connection, authservId }: MailArrival,
  { dns = defaultDns, host }: AuthenticityOptions,
): Promise<Authenticity> {
  if (mail.from === undefined) return 'unproven'
  if (authservId !== undefined) {
    const topmost = mail.header('authentication-results') ?? ''
    if (dmarcPassIn(topmost, authservId, domainOf(mail.from))) return 'proven'
    return isDoubted(topmost, authservId) ? 'doubtful' : 'unproven'
  }
  if (mail.count('dkim-signature') > maxSignatures) return 'unproven'
  // Loaded with the first mail: it takes 40 MB, and an agent may only send.
  const { authenticate } = await import('mailauth')
  const { dkim, dmarc, spf } = await authenticate(raw, {
    mta: host,
    disableArc: true,
    disableBimi: true,
    rejectRsaSha1: true,
    resolver: dns,
    ...connection,
  })
  const [author, ...others] = dkim.headerFrom.map((address) => address.toLowerCase())
  if (dmarc === false || author !== mail.from || others.length > 0) return 'unproven'
  const { result } = dmarc.status
  const isUndetermined = result === 'temperror' || dkim.results.some(({ status }) => status.result === 'temperror')
  if (result !== 'pass' && isUndetermined) return 'undetermined'
  if (result === 'fail') return dmarc.policy === 'none' ? 'doubtful' : 'forged'
  const sent: string = spf === false ? 'none' : spf.status.result
  if (result !== 'pass') return sent === 'fail' || sent === 'softfail' ? 'doubtful' : 'unproven'
  // A signature over a part of the body says nothing about what was added to it.
  const isSigned = dkim.results.some(({ status }) => status.result === 'pass' && status.aligned && !status.underSized)
  const isSent = spf !== false && spf.status.result === 'pass' && Boolean(dmarc.alignment.spf.result)
  return isSigned || isSent ? 'proven' : 'unproven'
}

/**
 * Whether an Authentication-Results header says, in the name of the server that we trust, that a mail is really of the
 * domain in its From. Comments are removed; quoted text does not count.
 */
export function dmarcPassIn(header: string, authservId: string, domain: string): boolean {
  const verdicts = resultsOf(header, authservId).filter((result) => /^dmarc\s*=/.test(result))
  const [verdict] = verdicts
  if (verdict === undefined || verdicts.length > 1) return false
  const words = verdict.replaceAll(/\s*=\s*/g, '=').split(/\s+/)
  return words[0] === 'dmarc=pass' && words.includes(`header.from=${domain}`)
}

function isDoubted(header: string, authservId: string): boolean {
  return resultsOf(header, authservId).some((result) => {
    return /^(?:dmarc|spf)\s*=\s*(?:fail|softfail|permerror)\b/.test(result)
  })
}

/** The results in a header of this server's; none in that of another one. */
function resultsOf(header: string, authservId: string): string[] {
  const plain = withoutComments(header.slice(0, 10_000))
  const [server = '', ...results] = plain.split(';').map((piece) => piece.trim().toLowerCase())
  return server.split(/\s+/)[0] === authservId.toLowerCase() ? results : []
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
