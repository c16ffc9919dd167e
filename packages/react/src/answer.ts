import type { StreamPart } from '@cool-ai/beach-client'
import type { UsedBeach } from '@cool-ai/beach-client/react'
import {
  answerBlocks,
  approvalIn,
  asName,
  cellText,
  fields,
  finite,
  footnotesOf,
  inWords,
  isFields,
  originName,
  peerName,
  quickReplies,
  safeLink,
  tableOf,
  text,
  type AnswerBlock,
  type AnswerExchange,
  type Footnote,
  type PeerNames,
} from '@cool-ai/beach-client/view'
import { createElement as h, memo, type ReactElement, type ReactNode } from 'react'
import { Approval } from './approval.ts'
import { Markdown } from './markdown.ts'
import { SurfaceFrame } from './surface.ts'

export interface AnswerProps extends Pick<UsedBeach, 'approvals' | 'approve' | 'deny' | 'send'> {
  readonly answer: AnswerExchange
  readonly peers: PeerNames
  /** The agent's address: links to its files may be paths. */
  readonly base: string
}

/** All that one turn has said; it is drawn again only when it has changed. */
export const Answer: React.NamedExoticComponent<AnswerProps> = memo(AnswerView)

function AnswerView(props: AnswerProps): ReactElement {
  const { answer, send } = props
  const { parts, turn, last } = answer
  const running = turn?.settled === false
  const actor = asName(turn?.actor ?? 'agent')
  const footnotes = footnotesOf(parts)
  const replies =
    last && !running
      ? parts
          .filter(({ text: said }) => said !== undefined)
          .slice(-1)
          .flatMap(quickReplies)
      : []
  return h(
    'article',
    { className: 'beach-answer', 'aria-label': `${actor} says`, 'aria-busy': running },
    h('h2', { className: 'beach-who' }, actor),
    ...answerBlocks(parts, running).map((block) =>
      h('div', { key: block.key, className: 'beach-part' }, blockOf(block, props)),
    ),
    turn?.finalizedBy === 'cancelled' && h('p', { className: 'beach-minor' }, 'You stopped this.'),
    sources(footnotes),
    running && turn.turnState !== 'suspended' && h('p', { className: 'beach-working' }, 'Working…'),
    turn?.settled === true &&
      turn.turnState === 'error' &&
      !parts.some(({ partType }) => partType === 'error') &&
      h('p', { className: 'beach-fault' }, 'Something went wrong, and this could not be answered.'),
    replies.length > 0 &&
      h(
        'div',
        { className: 'beach-replies' },
        ...replies.map((reply) => {
          const onClick = () => void send(reply).catch(() => {})
          return h('button', { key: reply, type: 'button', className: 'beach-button', onClick }, reply)
        }),
      ),
  )
}

function blockOf(block: AnswerBlock, props: AnswerProps): ReactNode {
  const { peers } = props
  switch (block.kind) {
    case 'text':
      return textOf(block.part)
    case 'thinking':
      return h('details', { className: 'beach-record' }, h('summary', null, 'Thinking'), ...block.parts.map(plain))
    case 'peer':
      return h(
        'details',
        { className: 'beach-record' },
        h('summary', null, `${peerName(block.peer, peers)} says`),
        ...block.parts.map(plain),
      )
    case 'progress':
      return progress(block.part)
    case 'data':
      return dataOf(block.part, peers)
    case 'surface':
      return h(SurfaceFrame, { part: block.part, peers })
    case 'approval': {
      const { approvals, approve, deny } = props
      const approval = approvals.find(({ approvalId }) => approvalId === approvalIn(block.part)?.approvalId)
      return approval && h(Approval, { approval, approve, deny })
    }
    case 'artifacts':
      return h('ul', { className: 'beach-files' }, ...block.parts.map((part) => file(part, props.base)))
  }
}

function textOf(part: StreamPart): ReactElement {
  const { partType, text: said = '' } = part
  if (partType === 'error') return h('p', { className: 'beach-fault' }, said)
  return partType === 'response' || partType === 'clarify' ? h(Markdown, { text: said }) : plain(part)
}

function plain({ partId, text: said = '' }: StreamPart): ReactElement {
  return h('p', { key: partId, className: 'beach-plain' }, said)
}

function progress({ data }: StreamPart): ReactElement {
  const given = fields(data)
  const label = text(given.label) ?? 'Working'
  const [done, total] = [finite(given.done), finite(given.total)]
  const known = done !== undefined && total !== undefined && total > 0
  return h(
    'label',
    { className: 'beach-progress' },
    label,
    h('progress', known ? { max: total, value: Math.min(done, total) } : {}),
  )
}

/** Data as a table where it has a list, and otherwise name by name. */
function dataOf(part: StreamPart, peers: PeerNames): ReactElement {
  const origin = originName(part, peers)
  const from = origin !== undefined && h('p', { className: 'beach-from' }, `From ${origin}`)
  const table = tableOf(part.data)
  if (table === undefined) {
    const given = isFields(part.data) ? Object.entries(part.data) : [['Data', part.data] as const]
    const rows = given.map(([name, value]) =>
      h('div', { key: name }, h('dt', null, inWords(name)), h('dd', null, cellText(value))),
    )
    return h('div', null, from, h('dl', { className: 'beach-pairs' }, ...rows))
  }
  const { columns, rows, left } = table
  return h(
    'div',
    { className: 'beach-table', tabIndex: 0, role: 'region', 'aria-label': 'Data' },
    from,
    h(
      'table',
      null,
      h('thead', null, h('tr', null, ...columns.map((name) => h('th', { key: name, scope: 'col' }, inWords(name))))),
      h(
        'tbody',
        null,
        ...rows.map((row, index) =>
          h('tr', { key: index }, ...columns.map((name) => h('td', { key: name }, cellText(row[name])))),
        ),
      ),
    ),
    left > 0 && h('p', { className: 'beach-minor' }, `${left} more`),
  )
}

function file({ partId, data }: StreamPart, base: string): ReactElement {
  const given = fields(data)
  const name = text(given.name) ?? 'File'
  const target = safeLink(given.url, base === '' ? 'invalid:' : base)
  const href = target?.href ?? (base === '' ? text(given.url) : undefined)
  return h('li', { key: partId }, h('a', { href, download: name, rel: 'noopener noreferrer' }, name))
}

function sources(footnotes: readonly Footnote[]): ReactElement | false {
  if (footnotes.length === 0) return false
  const items = footnotes.map(({ number, title, url, quote }) => {
    const href = safeLink(url, 'invalid:')?.href
    const named = href === undefined ? title : h('a', { href, target: '_blank', rel: 'noopener noreferrer' }, title)
    return h('li', { key: number, value: number }, named, quote !== undefined && h('q', null, quote))
  })
  return h('ol', { className: 'beach-sources', 'aria-label': 'Sources' }, ...items)
}
