import type { BoundKey, KeyRetention, RecordTimes, RetentionContext } from '@cool-ai/beach-core/ports'

const dayMs = 24 * 60 * 60 * 1_000
const prefix = 'email:'

/** What a token of an approval stands for, as far as it matters here. */
interface PendingGrant {
  readonly session: string
  readonly approvalId: string
}

/** Kinds of records that are over after a time of their own: marks of what was sent, counts, addresses that bounced. */
const plainKinds: ReadonlySet<string> = new Set(['sent', 'again', 'undeliverable', 'press', 'pressed'])
/** Links of buttons are good for a week, and must not work twice in it. */
const pressKinds: ReadonlySet<string> = new Set(['press', 'pressed'])

/**
 * When the records of mails may be deleted. Records that lead to a conversation stay for as long as the conversation
 * goes on; the read positions of mailboxes, and kinds that are unknown here, stay.
 */
export function mailKeys({ recordsMs, threadsMs }: RecordTimes): readonly KeyRetention[] {
  return [
    {
      prefix,
      keepMs: dayMs,
      isNeeded: async (record, context) => {
        const kind = record.key.split(':')[2] ?? ''
        // An index entry goes after what it names.
        if (kind === 'of') return isThere(record, context)
        // Counts are of an hour or a day.
        if (kind === 'cap') return record.at > context.now - 2 * dayMs
        if (record.at > context.now - recordsMs) return true
        if (pressKinds.has(kind) && record.at > context.now - 8 * dayMs) return true
        if (plainKinds.has(kind)) return false
        if (kind === 'token') return isPending(JSON.parse(record.value) as PendingGrant, context)
        if (kind === 'in') return record.value !== '' && goesOn(record.value, threadsMs, context)
        if (kind === 'out') return goesOn((JSON.parse(record.value) as { session: string }).session, threadsMs, context)
        return true
      },
    },
  ]
}

async function isThere({ key, value }: BoundKey, { store }: RetentionContext): Promise<boolean> {
  const named = `${key.split(':', 2).join(':')}:${value}`
  const [found] = await store.list(named, undefined, 1)
  return found?.key === named
}

async function isPending({ session, approvalId }: PendingGrant, { activity }: RetentionContext): Promise<boolean> {
  return (await activity(session))?.pendingApprovals.includes(approvalId) === true
}

/** Whether the person may still answer in a conversation. */
async function goesOn(session: string, threadsMs: number, { now, activity }: RetentionContext): Promise<boolean> {
  const found = await activity(session)
  if (found?.owner === undefined) return false
  return found.isBusy || found.lastAt > now - threadsMs
}
