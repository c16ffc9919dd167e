import { Resolver } from 'node:dns/promises'
import { ok, problem, warning, type Finding } from './checks.ts'

const timeoutMs = 3_000

/** Looks up what other mail servers look up before they believe a sender. */
export interface MailDns {
  readonly resolveMx: (domain: string) => Promise<readonly { readonly exchange: string }[]>
  readonly resolveTxt: (domain: string) => Promise<readonly (readonly string[])[]>
}

function systemDns(): MailDns {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 1 })
  return { resolveMx: (domain) => resolver.resolveMx(domain), resolveTxt: (domain) => resolver.resolveTxt(domain) }
}

/** Whether a domain can send and receive mail: MX, SPF, DMARC, and DKIM where its selector is known. */
export async function checkMailDns(
  domain: string,
  selector: string | undefined,
  dns = systemDns(),
): Promise<Finding[]> {
  const txt = async (name: string, begins: RegExp) =>
    (await dns.resolveTxt(name)).map((pieces) => pieces.join('')).find((text) => begins.test(text))
  return Promise.all([
    look('MX', domain, async () => (await dns.resolveMx(domain)).map(({ exchange }) => exchange).join(', '), [
      'No person can answer: no server takes mail for it.',
      `Publish an MX record for ${domain}.`,
    ]),
    look('SPF', domain, () => txt(domain, /^v=spf1\b/i), [
      'It does not say who may send for it.',
      `Publish a TXT record for ${domain}: v=spf1 include:<your provider> -all`,
    ]),
    look('DMARC', `_dmarc.${domain}`, () => txt(`_dmarc.${domain}`, /^v=DMARC1\b/i), [
      'It does not say what to do with forged mail.',
      `Publish a TXT record for _dmarc.${domain}: v=DMARC1; p=reject`,
    ]),
    selector === undefined
      ? warning('DKIM', 'The selector is not known.', 'Name it: beach doctor --dkim <selector>')
      : look('DKIM', `${selector}._domainkey.${domain}`, () => txt(`${selector}._domainkey.${domain}`, /\bp=\S/), [
          'Its signatures cannot be verified.',
          `Publish the public key at ${selector}._domainkey.${domain}.`,
        ]),
  ])
}

async function look(
  check: string,
  name: string,
  ask: () => Promise<string | undefined>,
  [without, advice]: readonly [string, string],
): Promise<Finding> {
  try {
    const found = await ask()
    if (found !== undefined && found !== '') return ok(check, `${name}: ${found}`)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOTFOUND' && code !== 'ENODATA') {
      return warning(
        check,
        `${name} could not be looked up (${code ?? 'no answer'}).`,
        'Is this machine online? Try again.',
      )
    }
  }
  return problem(check, `${name} has no ${check} record. ${without}`, advice)
}
