import { clockTime, shortId } from './format.ts'
import type { SpanRow } from './types.ts'

interface Attempt {
  readonly at: number
  readonly outcome: 'sent' | 'failed' | 'retried'
  readonly attempt?: number
  readonly nextAt?: number
  readonly reason?: string
  readonly by?: { readonly kind: string; readonly id: string }
}

const channels: Readonly<Record<string, string>> = { smtp: 'mail', inspect: 'the inspector' }

/** A sentence, and its time. */
export interface StoryLine {
  readonly at?: number | undefined
  readonly text: string
}

/** What a row of the timeline says in sentences; nothing where its data says it all. */
export function storyOf(row: SpanRow): readonly StoryLine[] {
  switch (row.kind) {
    case 'delivery':
      return (row.detail.attempts as readonly Attempt[]).map((attempt) => ({
        at: attempt.at,
        text: attempted(attempt),
      }))
    case 'approval':
      return decision(row)
    case 'host':
      return takeover(row)
    case 'tool':
      return row.outcome === 'unknown' && row.detail.client === undefined
        ? [
            {
              at: row.endAt,
              text: 'Its process ended while it ran, and it must not run twice: its result is unknown.',
            },
          ]
        : []
    case 'work':
      return slots(row)
    case 'model':
    case 'step':
    case 'part':
    case 'state':
    case 'flow':
    case 'note':
      return []
  }
}

function attempted({ outcome, attempt = 1, nextAt, reason = '', by }: Attempt): string {
  switch (outcome) {
    case 'sent':
      return 'Sent.'
    case 'retried':
      return `${by === undefined ? 'A person' : `${by.kind} ${by.id}`} had it sent again.`
    case 'failed': {
      const then = nextAt === undefined ? 'Given up: a dead letter.' : `Tried again from ${clockTime(nextAt)}.`
      return `Attempt ${attempt} failed: ${reason} ${then}`
    }
  }
}

function decision({ at, endAt, outcome, detail }: SpanRow): readonly StoryLine[] {
  const {
    asked = [],
    decidedBy,
    via,
    reason,
    args = {},
  } = detail as {
    asked?: readonly string[]
    decidedBy?: string
    via?: string
    reason?: string
    args?: Readonly<Record<string, unknown>>
  }
  const request = { at, text: asked.length === 0 ? 'Requested.' : `Requested of ${asked.join(', ')}.` }
  if (decidedBy === undefined) return [request]
  const by = decodeURIComponent(decidedBy.replace('~', ' '))
  const channel = via === undefined ? '' : ` by ${channels[via] ?? via}`
  const changed = Object.entries(args).map(([name, value]) => `${name} changed to ${JSON.stringify(value)}`)
  const changes = changed.length === 0 ? '' : `, with ${changed.join(' and ')}`
  const because = reason === undefined ? '' : ` “${reason}”`
  return [
    request,
    { at: endAt, text: `${outcome === 'denied' ? 'Denied' : 'Granted'} by ${by}${channel}${changes}.${because}` },
  ]
}

function takeover({ at, detail }: SpanRow): readonly StoryLine[] {
  const {
    process,
    before,
    running = [],
  } = detail as {
    process?: string
    before?: string
    running?: readonly string[]
  }
  if (process === undefined) return []
  if (before === undefined) return [{ at, text: `Process ${shortId(process)} went on.` }]
  const left = running.length === 0 ? '' : ` Running when it was left: ${running.join(', ')}.`
  return [{ at, text: `Process ${shortId(before)} had left it; process ${shortId(process)} went on.${left}` }]
}

function slots({ detail }: SpanRow): readonly StoryLine[] {
  const { slots: planned = [] } = detail as { slots?: readonly { readonly slot: string }[] }
  return planned.map(({ slot }) => {
    const begunAt = detail[`${slot} started`] as number | undefined
    const { outcome, at } = Object(detail[slot]) as { outcome?: string; at?: number }
    const begun = begunAt === undefined ? '' : `, begun at ${clockTime(begunAt)}`
    return { at, text: `${slot}: ${outcome ?? 'no result yet'}${begun}.` }
  })
}
