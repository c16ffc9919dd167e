import { approvalHtml, decisionFieldsHtml, plainPage, problemHtml } from '@cool-ai/beach-channel/pages'
import type { Page, PendingApproval } from '@cool-ai/beach-core/ports'
import { escapeHtml } from '@cool-ai/beach-core/runtime'
import { askedApproval } from '@cool-ai/beach-protocol'
import type { InboxProblem, OtherDecided, OtherInbox, OtherItem } from './other-inboxes.ts'

// Relative, because an agent can be under a path of its own.
const home = './'
const maxTitleLength = 300

const notices: Readonly<Record<Exclude<OtherDecided, 'decided'> | 'granted' | 'denied', string>> = {
  granted: 'Approved.',
  denied: 'Denied.',
  already: 'That one had been decided before.',
  expired: 'That one had expired, and counts as denied.',
  notFound: 'That one is not there any more.',
  invalid: 'The other agent does not take this decision.',
  refused: 'The other agent takes no decisions from this page. Decide there.',
  unknown:
    'The other agent did not answer, so it is not known whether your decision has arrived. Look again in a moment: what still waits is listed.',
}

const problems: Readonly<Record<InboxProblem, (name: string) => string>> = {
  unreachable: (name) => `${name} does not answer at the moment. What waits for you there is missing here.`,
  refused: (name) => `${name} does not let this page show what waits for you there.`,
  unreadable: (name) => `What ${name} answered cannot be read. What waits for you there is missing here.`,
  operator: (name) => `What waits for operators at ${name} is shown there.`,
}

interface Inbox {
  /** The agent's name. */
  readonly name: string
  readonly own: Page<PendingApproval>
  /** Those of other agents, where the inbox has some. */
  readonly others?: readonly OtherInbox[] | undefined
  /** What became of the last decision. */
  readonly done: string | null
}

/** Everything that waits for a person, here and at other agents, with buttons. */
export function inboxPage({ name, own, others = [], done }: Inbox): Response {
  const count = own.items.length + others.reduce((sum, { items }) => sum + items.length, 0)
  const body = [
    done !== null && Object.hasOwn(notices, done)
      ? `<p role="status">${notices[done as keyof typeof notices]}</p>`
      : '',
    count === 0 ? '<p>Nothing waits for your decision.</p>' : '',
    others.length > 0 && own.items.length > 0 ? `<h2 class="agent">${escapeHtml(name)}</h2>` : '',
    listHtml(own.items, 'approvals', others.length > 0 ? 'h3' : 'h2'),
    own.next === undefined ? '' : `<p><a href="approvals?after=${encodeURIComponent(own.next)}">More</a></p>`,
    ...others.map(otherHtml),
  ].join('')
  return plainPage({ from: name, home, title: titleOf(count), body, isAsking: count > 0 })
}

/** What is wrong with a decision that a form of the page made; `inbox` is the way back. */
export function problemPage(from: string, message: string, inbox: string): Response {
  const body = `${problemHtml(message)}<p><a href="${inbox}">Back to your decisions</a></p>`
  return plainPage({ status: 400, from, title: 'Your decisions', body })
}

/** For a browser that the agent does not know: its page gives it an identity. */
export function strangerPage(from: string): Response {
  const body = `<p>The agent does not know this browser. Open the agent’s page first, or sign in.</p><p><a href="${home}">Open the page</a></p>`
  return plainPage({ status: 401, from, home, title: 'Your decisions', body })
}

function titleOf(count: number): string {
  if (count === 0) return 'Your decisions'
  return count === 1 ? 'One decision waits for you' : `${count} decisions wait for you`
}

/** An agent that has nothing to decide and no problem is not named. */
function otherHtml({ id, name, url, items, hasMore, problem }: OtherInbox): string {
  const there = `<a href="${escapeHtml(url)}">Open its inbox</a>`
  if (problem !== undefined) return `<p class="problem">${escapeHtml(problems[problem](name))} ${there}</p>`
  if (items.length === 0 && hasMore === undefined) return ''
  return [
    `<h2 class="agent">${escapeHtml(name)}</h2>`,
    listHtml(items, `approvals/at/${encodeURIComponent(id)}`, 'h3'),
    hasMore === true ? `<p>More waits there. ${there}</p>` : '',
  ].join('')
}

type Item = Pick<PendingApproval, 'approvalId'> & { readonly part: PendingApproval['part'] | OtherItem['part'] }

function listHtml(items: readonly Item[], path: string, heading: 'h2' | 'h3'): string {
  const list = items.map((item) => itemHtml(item, path, heading)).join('')
  return list === '' ? '' : `<ul>${list}</ul>`
}

/** Requests that only operators decide are listed for operators only, so each of them has buttons. */
function itemHtml({ approvalId, part }: Item, path: string, heading: string): string {
  const asked = askedApproval(part)
  if (asked === undefined) return ''
  const action = escapeHtml(`${path}/${encodeURIComponent(approvalId)}`)
  const title = asked.title.length > maxTitleLength ? `${asked.title.slice(0, maxTitleLength)}…` : asked.title
  return [
    `<li><${heading}>${escapeHtml(title)}?</${heading}>${approvalHtml(asked)}`,
    `<form method="post" action="${action}">${decisionFieldsHtml(asked)}</form></li>`,
  ].join('')
}
