import { expect, test } from 'vitest'
import { checkMailDns, type MailDns } from '../../packages/beach/src/command/doctor/check-mail-dns.ts'

const missing = (code: string) => async () => Promise.reject(Object.assign(new Error(code), { code }))
const records: Readonly<Record<string, string>> = {
  'example.com': 'v=spf1 include:mail.example -all',
  '_dmarc.example.com': 'v=DMARC1; p=reject',
  'mail._domainkey.example.com': 'v=DKIM1; k=rsa; p=MIIB',
}
const complete: MailDns = {
  resolveMx: async () => [{ exchange: 'mx.example.com' }],
  resolveTxt: async (name) => [[records[name] ?? '']],
}

test('a domain with all records is fine', async () => {
  const findings = await checkMailDns('example.com', 'mail', complete)
  expect(findings.map(({ check, status }) => [check, status])).toEqual([
    ['MX', 'ok'],
    ['SPF', 'ok'],
    ['DMARC', 'ok'],
    ['DKIM', 'ok'],
  ])
})

test('missing records are problems, each with the record to publish', async () => {
  const dns: MailDns = { resolveMx: missing('ENODATA'), resolveTxt: async () => [['v=other']] }
  const findings = await checkMailDns('example.com', 'mail', dns)
  expect(findings.map(({ status }) => status)).toEqual(['problem', 'problem', 'problem', 'problem'])
  expect(findings[1]?.advice).toContain('v=spf1')
})

test('offline, nothing is called a problem', async () => {
  const dns: MailDns = { resolveMx: missing('ETIMEOUT'), resolveTxt: missing('ECONNREFUSED') }
  const findings = await checkMailDns('example.com', undefined, dns)
  expect(findings.map(({ status }) => status)).toEqual(['warning', 'warning', 'warning', 'warning'])
})
