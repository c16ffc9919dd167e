import type { ReadMail } from './read-mail.ts'

/** What a mail is by its headers: written by a person, or one that no answer may be sent to. */
export type MailKind = 'written' | 'bounce' | 'auto-reply' | 'list' | 'loop'

const maxHops = 50
const automatic: ReadonlySet<string> = new Set(['bulk', 'junk', 'auto_reply', 'auto-reply'])
const unanswered = /^(?:no-?reply|do-?not-?reply|noreply|donotreply)[+@.-]/
const daemons = ['mailer-daemon@', 'postmaster@', 'mail-daemon@', 'bounce@', 'bounces@']

/** Tells what a mail is. `returnPath` is the envelope's sender, where it is known; an empty one is a bounce's. */
export function mailKind(mail: ReadMail, ours: string, returnPath = mail.header('return-path')): MailKind {
  const contentType = mail.header('content-type')?.toLowerCase() ?? ''
  const path = returnPath?.trim().replaceAll(/^<|>$/g, '').trim()
  if (path === '' || contentType.startsWith('multipart/report') || mail.has('x-failed-recipients')) return 'bounce'
  if (daemons.some((daemon) => mail.from?.startsWith(daemon))) return 'bounce'
  if (mail.from === ours || mail.count('received') > maxHops) return 'loop'
  const precedence = mail.header('precedence')?.trim().toLowerCase() ?? ''
  if (mail.has('list-id') || mail.has('list-post') || mail.has('list-unsubscribe') || precedence === 'list')
    return 'list'
  const submitted = mail.header('auto-submitted')?.trim().toLowerCase() ?? 'no'
  const says = [
    'x-autoreply',
    'x-autorespond',
    'x-auto-reply',
    'x-autoresponder',
    'x-mail-autoreply',
    'x-loop',
    'feedback-id',
  ]
  // Such a sender wants no automatic answers, which ours are.
  const suppressed = mail.header('x-auto-response-suppress')?.toLowerCase() ?? ''
  if (/\b(?:all|autoreply)\b/.test(suppressed) || unanswered.test(mail.from ?? '')) return 'auto-reply'
  const isAutomatic = !/^no\b/.test(submitted) || automatic.has(precedence) || says.some((name) => mail.has(name))
  return isAutomatic ? 'auto-reply' : 'written'
}
