import { defined } from '@cool-ai/beach-core/runtime'
import { defineTool, type AnyTool } from '@cool-ai/beach-llm'
import type { SessionValues } from '@cool-ai/example-kit/session-values'
import * as z from 'zod'
import {
  daySchema,
  entrySchema,
  planSchema,
  weekOf,
  weekSchema,
  withEntries,
  withoutEntries,
  withTitle,
  type Plan,
} from './week.ts'

export type PlanStore = SessionValues<Plan>

const weekResult = z.object({ kind: z.literal('week'), data: weekSchema })
const shownResult = weekResult.extend({
  next: entrySchema.exactOptional().describe('What is planned first after an empty week.'),
})
const addedResult = weekResult.extend({ added: planSchema })
const removedResult = z.object({ removed: planSchema, week: weekResult.exactOptional() })
const timeoutMs = 10_000

/** The tools by which Baxter looks after the user's weeks. */
export function weekTools(plans: PlanStore): AnyTool[] {
  return [
    defineTool({
      name: 'show_week',
      description: 'What is planned in the week that a day is in.',
      inputSchema: z.object({ day: daySchema }),
      outputSchema: shownResult,
      handler: async ({ day }, { session, signal }) => {
        const plan = await plans.load(session.sessionId, signal)
        const data = weekOf(plan, day)
        const next = data.entries.length > 0 ? undefined : plan.find(({ date }) => date > data.from)
        return defined({ kind: 'week' as const, data, next })
      },
      idempotent: true,
      timeoutMs,
    }),
    defineTool({
      name: 'add_to_week',
      description:
        'Puts entries into the plan; what is there already stays once. The answer is the week of the first, and what was added.',
      inputSchema: z.object({ entries: z.array(entrySchema).min(1).max(20) }),
      outputSchema: addedResult,
      handler: async ({ entries }, { session, signal }) => {
        const plan = await plans.update(session.sessionId, (before) => withEntries(before, entries), signal)
        return { kind: 'week' as const, data: weekOf(plan, entries[0]?.date ?? ''), added: entries }
      },
      idempotent: true,
      sequential: true,
      timeoutMs,
    }),
    defineTool({
      name: 'remove_from_week',
      description:
        'Takes the entries of a title, or of a part of one, out of the plan. The answer is what was taken out, nothing ' +
        'when no entry has that title, and the week in which the first of it was.',
      inputSchema: z.object({
        title: z.string().min(1),
        date: daySchema.exactOptional().describe('Only the entries of this day; of all days when left out.'),
      }),
      outputSchema: removedResult,
      handler: async ({ title, date }, { session, signal, note, noted }) => {
        // A run that ended in between has taken it out already, and has noted what that was.
        const removed =
          planSchema.safeParse(noted).data ?? withTitle(await plans.load(session.sessionId, signal), title, date)
        await note?.(removed)
        const plan = await plans.update(session.sessionId, (before) => withoutEntries(before, removed), signal)
        const [first] = removed
        const week = first && { kind: 'week' as const, data: weekOf(plan, first.date) }
        return defined({ removed, week })
      },
      idempotent: true,
      sequential: true,
      timeoutMs,
    }),
  ]
}
