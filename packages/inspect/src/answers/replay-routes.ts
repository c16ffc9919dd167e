import { jsonResponse, readJson } from '@cool-ai/beach-channel/http'
import { actScope } from '@cool-ai/beach-channel/rights'
import { BeachError } from '@cool-ai/beach-core'
import { z } from 'zod'
import { redacted } from '../redact.ts'
import type { AnswerContext, OperatorRoute } from './answer-context.ts'
import { findRow, parsed } from './session-routes.ts'

const maxInstructions = 100_000

const replaySchema = z
  .object({
    from: z.string().min(1).max(200).optional(),
    turns: z.number().int().min(1).max(1_000).optional(),
    model: z.string().min(1).max(200).optional(),
    instructions: z.string().min(1).max(maxInstructions).optional(),
    actor: z.string().min(1).max(200).optional(),
  })
  .strict()

/** Sessions, run again: one at a time in a process. */
export function replayRoutes(context: AnswerContext): readonly OperatorRoute[] {
  const { audit, models, replay } = context
  let isRunning = false
  return [
    {
      method: 'POST',
      path: 'sessions/:id/replay',
      scope: actScope,
      summary: 'Runs a session again, in memory, and says what is different',
      body: {
        type: 'object',
        properties: {
          from: { type: 'string', description: 'The turn to begin with.' },
          turns: { type: 'integer', minimum: 1, description: 'How many turns; all that follow when left out.' },
          model: { type: 'string', description: 'One of the models that the agent allows for replays.' },
          instructions: { type: 'string', description: 'In place of those of the actor.' },
          actor: { type: 'string', description: 'The actor that gets them.' },
        },
      },
      async answer({ request, by, params: { id = '' } }) {
        const wanted = parsed(replaySchema, (await readJson(request, { caller: by })) ?? {})
        const row = await findRow(context, id, by)
        if (wanted.model !== undefined && !models.includes(wanted.model)) throw unknownModel(wanted.model, models)
        if (isRunning) throw new BeachError('TOO_MANY', 'A replay runs already. Try again when it has ended.')
        isRunning = true
        try {
          await audit.act(by, 'session.replay', { session: row.sessionId, detail: detailOf(wanted) })
          return jsonResponse(redacted(await replay({ session: id, ...wanted }, request.signal)))
        } finally {
          isRunning = false
        }
      },
    },
  ]
}

function detailOf({ from, model, instructions }: z.infer<typeof replaySchema>): string | undefined {
  const said = [
    ...(from === undefined ? [] : [`from ${from}`]),
    ...(model === undefined ? [] : [`with ${model}`]),
    ...(instructions === undefined ? [] : ['with other instructions']),
  ]
  return said.length === 0 ? undefined : said.join(', ')
}

function unknownModel(model: string, models: readonly string[]): BeachError {
  const known = models.length === 0 ? 'It names none: see `inspect.models`.' : `It names: ${models.join(', ')}.`
  return new BeachError('BAD_REQUEST', `The agent does not name '${model}' among the models for replays. ${known}`)
}
