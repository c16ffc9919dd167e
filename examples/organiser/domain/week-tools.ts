import { defineTool, type AnyTool } from '@cool-ai/beach-llm'
import type { SessionFiles } from '@cool-ai/example-chat-page/session-files'
import * as z from 'zod'
import { entrySchema, weekOf, weekSchema, withEntries, withoutTitle, type Plan } from './week.ts'

export type PlanStore = Pick<SessionFiles<Plan>, 'load' | 'update'>

const weekResult = z.object({ kind: z.literal('week'), data: weekSchema })
const timeoutMs = 10_000

/** The tools by which Baxter looks after somebody's weeks. */
export function weekTools(plans: PlanStore): AnyTool[] {
  return [
    defineTool({
      name: 'show_week',
      description: 'What is planned in the week that a day is in.',
      inputSchema: z.object({ day: z.iso.date() }),
      outputSchema: weekResult,
      handler: async ({ day }, { session, signal }) => {
        return { kind: 'week' as const, data: weekOf(await plans.load(session.sessionId, signal), day) }
      },
      idempotent: true,
      timeoutMs,
    }),
    defineTool({
      name: 'add_to_week',
      description: 'Puts entries into the plan; what is there already stays once. The answer is the week of the first.',
      inputSchema: z.object({ entries: z.array(entrySchema).min(1).max(20) }),
      outputSchema: weekResult,
      handler: async ({ entries }, { session, signal }) => {
        const plan = await plans.update(session.sessionId, (before) => withEntries(before, entries), signal)
        return { kind: 'week' as const, data: weekOf(plan, entries[0]?.date ?? '') }
      },
      idempotent: true,
      sequential: true,
      timeoutMs,
    }),
    defineTool({
      name: 'remove_from_week',
      description: 'Takes the entries of a title out of the plan. The answer is the week of the given day.',
      inputSchema: z.object({ title: z.string().min(1), day: z.iso.date() }),
      outputSchema: weekResult,
      handler: async ({ title, day }, { session, signal }) => {
        const plan = await plans.update(session.sessionId, (before) => withoutTitle(before, title), signal)
        return { kind: 'week' as const, data: weekOf(plan, day) }
      },
      idempotent: true,
      sequential: true,
      timeoutMs,
    }),
  ]
}
