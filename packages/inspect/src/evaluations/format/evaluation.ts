import { z } from 'zod'
import { budgetSchema, durationSchema, expectationSchema } from './expectation.ts'

const partSchema = z.strictObject({
  partType: z.string().min(1),
  text: z.string().optional(),
  data: z.unknown().optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
})

const principalSchema = z.strictObject({
  kind: z.enum(['anonymous', 'user', 'peer', 'operator']).optional(),
  id: z.string().min(1),
  scopes: z.array(z.string().min(1)).optional(),
})

const timeSchema = z
  .string()
  .refine((text) => !Number.isNaN(Date.parse(text)), { error: 'is not a time, such as 2026-06-06T12:00:00Z' })

const decision = {
  tool: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'Whose request is decided; may be left out when only one waits.' }),
  reason: z.string().min(1).optional(),
  by: principalSchema.optional().meta({ description: 'Who decides; the user of the conversation when left out.' }),
}

const stepShape = z.strictObject({
  say: z.string().min(1).optional().meta({ description: 'What the user says.' }),
  send: z.array(partSchema).min(1).optional().meta({ description: 'What the user sends, as parts.' }),
  approve: z
    .union([
      z.literal(true),
      z.strictObject({
        ...decision,
        args: z
          .record(z.string(), z.unknown())
          .optional()
          .meta({ description: 'Arguments that the approver changes.' }),
      }),
    ])
    .optional(),
  deny: z.union([z.literal(true), z.strictObject(decision)]).optional(),
  advance: durationSchema.optional().meta({ description: 'How much time passes.' }),
  expect: expectationSchema.optional(),
})

const actions = ['say', 'send', 'approve', 'deny', 'advance'] as const

const stepSchema = stepShape.superRefine((step, context) => {
  const given = actions.filter((name) => step[name] !== undefined)
  if (given.length === 1) return
  const said = given.length === 0 ? 'does nothing' : `does several things: ${given.join(', ')}`
  context.addIssue({ code: 'custom', message: `${said}. Give one of ${actions.join(', ')}` })
})

const resultSchema = z
  .strictObject({
    args: z
      .unknown()
      .optional()
      .meta({ description: 'For calls that have these arguments among others; all when left out.' }),
    result: z.unknown().optional(),
    error: z.string().min(1).optional(),
    parts: z
      .array(partSchema)
      .min(1)
      .optional()
      .meta({ description: 'What the tool says meanwhile, such as a peer’s data.' }),
  })
  .refine(({ result, error }) => (result === undefined) !== (error === undefined), {
    error: 'needs either a result or an error',
  })

/** An evaluation as its author writes it, in a file or in code. */
export const evaluationSchema = z.strictObject({
  name: z.string().min(1).optional().meta({ description: 'The file’s name when left out.' }),
  description: z.string().optional(),
  tags: z.array(z.string().min(1)).optional(),
  at: timeSchema.optional().meta({ description: 'What time it is for the agent when the conversation begins.' }),
  user: principalSchema.optional().meta({ description: 'Who talks to the agent.' }),
  from: z
    .strictObject({ session: z.string().regex(/^\w[\w-]{0,199}$/), at: timeSchema })
    .optional()
    .meta({ description: 'The session that it was made from, and when: erasing that session erases kept results.' }),
  tools: z
    .record(z.string(), z.union([resultSchema, z.array(resultSchema).min(1)]))
    .optional()
    .meta({ description: 'Recorded results, in place of the tools of these names, which then do not run.' }),
  runs: z.number().int().min(1).max(1_000).optional().meta({ description: 'How often it is run; once when left out.' }),
  passRate: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .meta({ description: 'The share of runs that must pass; all when left out.' }),
  judge: z.strictObject({ model: z.string().min(1) }).optional(),
  budget: budgetSchema.optional().meta({ description: 'For the whole conversation.' }),
  turns: z.array(stepSchema).min(1).max(500),
  expect: expectationSchema.optional().meta({ description: 'What must be true of the whole conversation.' }),
})

/** What is said to an agent, and what is expected of its answers. */
export type Evaluation = z.infer<typeof evaluationSchema>
/** Something that is said or done, with what is expected then. */
export type EvaluationStep = z.infer<typeof stepShape>
/** What a tool gave in the session that an evaluation was made from. */
export type RecordedResult = z.infer<typeof resultSchema>
/** A part that an evaluation says to the agent. */
export type EvaluationPart = z.infer<typeof partSchema>

/** An evaluation with a name, and the file that it is from. */
export interface NamedEvaluation extends Evaluation {
  readonly name: string
  readonly file?: string | undefined
}
