import { plainWords, type PeerApprovalRequest } from '@cool-ai/beach-channel/peers'
import type { ApprovalAsked, ApprovalDescription, ToolWords } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'

/** What an approver here is told of a peer's request. */
export type PeerRequestWords = Pick<ApprovalAsked, 'approval' | 'schema' | 'words'>

const maxTitleLength = 280
const maxSummaryLength = 1_900
const maxLabelLength = 100
const maxValueLength = 1_000
const maxSchemaLength = 20_000

/**
 * A peer's description of its request, under the peer's name. It is foreign: plain text of limited length, and no
 * surface. An approver may change arguments as the peer allows it, because the peer checks them again. Allowing the tool
 * for the session is not offered: what was allowed at a peer could not be revoked here.
 */
export function peerRequestWords(name: string, { asked, args }: PeerApprovalRequest): PeerRequestWords {
  const title = asked && plainWords(asked.title, maxTitleLength - name.length)
  if (asked === undefined || title === undefined || title === '') return {}
  const { summary, notice, details, risk } = asked
  const said = plainWords([summary ?? '', ...notice].join(' '), maxSummaryLength)
  const facts = details.map(({ label, value }) => [
    plainWords(label, maxLabelLength) || '…',
    plainWords(value, maxValueLength),
  ])
  const schema = editableSchema(asked)
  const approval: ApprovalDescription = defined({
    title: `${name}: ${title}`,
    summary: said === '' ? undefined : said,
    details: facts.length === 0 ? undefined : (Object.fromEntries(facts) as Record<string, string>),
    risk,
    editable: schema && Object.keys(schema.properties),
  })
  return defined({ approval, schema, words: { labels: labelsOf(asked, args) } })
}

type Asked = NonNullable<PeerApprovalRequest['asked']>

/** The schemas of the arguments that may be changed; none when they are too long to be a form that people fill in. */
function editableSchema({ editable }: Asked): { readonly type: 'object'; readonly properties: object } | undefined {
  const properties = Object.fromEntries(editable.map(({ name, schema }) => [name, schema]))
  if (editable.length === 0 || JSON.stringify(properties).length > maxSchemaLength) return undefined
  return { type: 'object', properties }
}

/** What the peer calls the arguments of its call. */
function labelsOf(asked: Asked, args: PeerApprovalRequest['args']): NonNullable<ToolWords['labels']> {
  const labels = Object.keys(args).map((name, index) => {
    return [name, plainWords(asked.arguments[index]?.label ?? name, maxLabelLength) || name]
  })
  return Object.fromEntries(labels) as Record<string, string>
}
