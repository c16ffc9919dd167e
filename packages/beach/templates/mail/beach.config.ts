import { defineConfig } from '@cool-ai/beach'
import { email, emailOriginator } from '@cool-ai/beach-email'
import { localMail } from '@cool-ai/beach-testing/local'
import { clerk } from './clerk.ts'

const { MAIL_ADDRESS = '', MAIL_PASSWORD = '', SMTP_HOST = '', IMAP_HOST = '' } = process.env
const { APPROVER_ADDRESS = 'manager@office.example' } = process.env
const auth = { user: MAIL_ADDRESS, pass: MAIL_PASSWORD }

/** The account that the environment names, or a mailbox on this machine: the start prints a link to it. */
const mail =
  SMTP_HOST === ''
    ? localMail(email, {
        address: 'clerk@office.example',
        name: 'Clerk',
        people: [
          { name: 'Manager', address: APPROVER_ADDRESS },
          { name: 'Anna', address: 'anna@home.example' },
        ],
      })
    : email({
        address: MAIL_ADDRESS,
        name: 'Clerk',
        outbound: { host: SMTP_HOST, port: 465, secure: true, auth },
        ...(IMAP_HOST !== '' && { imap: { host: IMAP_HOST, port: 993, secure: true, auth } }),
      })

const manager = { kind: 'user', id: 'manager', tenant: 'default' } as const

export default defineConfig({
  agent: { id: 'my-agent', name: 'Clerk', description: 'Pays invoices.', capabilities: [] },
  data: '.beach',
  actors: { clerk },
  channels: [mail],
  approvals: {
    // The person who talks to the agent may decide in the page; the manager is asked by mail, a second later.
    followUps: [{ afterMs: 1_000, to: emailOriginator({ address: APPROVER_ADDRESS, principal: manager }) }],
  },
  publicUrl: process.env.PUBLIC_URL,
  inspect: true,
})
