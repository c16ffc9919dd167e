import { keysOf } from '../stand-in/keys-of.ts'

/** Domains of a test with their keys and rules, as a resolver finds them. */
export type Domains = ReturnType<typeof domains>

/** Domains, their keys and their rules, as a resolver finds them. */
export function domains() {
  // Made at the first look-up: making a key takes a while.
  const records = new Map<string, () => string[][]>()
  const signing = new Set<string>()
  return {
    dns: async (domain: string, type: string): Promise<string[][]> => {
      const found = type === 'TXT' ? records.get(domain.toLowerCase()) : undefined
      if (found !== undefined) return found()
      throw Object.assign(new Error(`${domain} has no ${type}`), { code: 'ENOTFOUND' })
    },
    /** Creates a domain that signs its mail, with a policy for mail that is not signed. */
    add(domain: string, policy: 'none' | 'quarantine' | 'reject' = 'reject'): void {
      signing.add(domain)
      records.set(`mail._domainkey.${domain}`, () => [
        [`v=DKIM1; k=rsa; p=${keysOf(domain).publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`],
      ])
      records.set(`_dmarc.${domain}`, () => [[`v=DMARC1; p=${policy}`]])
    },
    /** Allows an address to send for a domain. */
    allow: (domain: string, ip: string) => void records.set(domain, () => [[`v=spf1 ip4:${ip} -all`]]),
    /** Signs a mail, or only so many bytes of its body. */
    async sign(raw: string, domain: string, maxBodyLength?: number): Promise<string> {
      const pem = { type: 'pkcs8', format: 'pem' } as const
      const privateKey = signing.has(domain) ? String(keysOf(domain).privateKey.export(pem)) : ''
      const key = { signingDomain: domain, selector: 'mail', privateKey }
      const length = maxBodyLength === undefined ? undefined : { maxBodyLength }
      const signature = { ...key, ...length }
      const { dkimSign } = await import('mailauth')
      const signed = await dkimSign(raw, {
        ...signature,
        canonicalization: 'relaxed/relaxed',
        signatureData: [signature],
      })
      return signed.signatures + raw
    },
  }
}
