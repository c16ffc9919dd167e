import type { KeyRetention, RecordTimes } from '@cool-ai/beach-core/ports'
import { approvalKeyOf } from '../approvals/approvals.ts'
import { tracePrefix } from '../turn/traced-turns.ts'

const dayMs = 24 * 60 * 60 * 1_000

/** When the keys of sessions may go; those that list a session go with it. */
export function sessionKeys({ recordsMs }: RecordTimes): readonly KeyRetention[] {
  return [
    {
      prefix: approvalKeyOf(''),
      keepMs: recordsMs,
      isNeeded: async ({ key, value }, { activity }) => {
        const approvalId = key.slice(approvalKeyOf('').length)
        return (await activity(value))?.pendingApprovals.includes(approvalId) === true
      },
    },
    {
      prefix: 'waiting:',
      keepMs: dayMs,
      isNeeded: async ({ key, value }, { activity }) => {
        const approvalId = key.slice(key.lastIndexOf(':') + 1)
        return (await activity(value))?.pendingApprovals.includes(approvalId) === true
      },
    },
    { prefix: 'dead:', keepMs: recordsMs },
    { prefix: tracePrefix, keepMs: recordsMs },
    {
      prefix: 'ext:',
      // The process that bound it opens the session right afterwards.
      keepMs: dayMs,
      isNeeded: async ({ value }, { activity }) => (await activity(value)) !== undefined,
    },
  ]
}
