import { z } from 'zod'
import type { TurnRecord } from '../turn-record.ts'

/** Lengths of time: milliseconds, or words such as `2 s`. */
export const durationSchema = z
  .union([
    z.number().nonnegative(),
    z.string().regex(/^\d+(\.\d+)? ?[a-z]+$/, 'is no duration, such as 500 ms or 3 days'),
  ])
  .meta({ description: 'Milliseconds, or words such as "500 ms", "90 seconds" and "3 days".' })

const wordsSchema = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)])
const jsonObject = z.record(z.string(), z.unknown())

/** A function of TypeScript files: true, or undefined, when all is well; false or a sentence on what is not. */
export type Predicate<Value> = (value: Value) => boolean | string | undefined | Promise<boolean | string | undefined>

function predicate<Value>() {
  return z.custom<Predicate<Value>>((value) => typeof value === 'function', {
    error: 'is a function: only evaluations in TypeScript can have one',
  })
}

const judgeSchema = z.union([
  z.string().min(1),
  z.strictObject({
    rubric: z.string().min(1),
    model: z.string().min(1).optional().meta({ description: 'The id of the model that judges this.' }),
  }),
])

const textSchema = z.union([
  wordsSchema,
  z.strictObject({
    equals: z.string().optional(),
    contains: wordsSchema.optional().meta({ description: 'All of these occur in the text, as they are written.' }),
    matches: wordsSchema.optional().meta({ description: 'Regular expressions, matched in linear time.' }),
    excludes: wordsSchema.optional().meta({ description: 'None of these occurs in the text.' }),
    judge: judgeSchema.optional().meta({ description: 'What a model must find true of the text.' }),
    test: predicate<string>().optional(),
  }),
])

const partsSchema = z.union([
  z.array(z.string().min(1)),
  z.strictObject({
    includes: z
      .array(z.string().min(1))
      .optional()
      .meta({ description: 'These part types, in this order; others may come between.' }),
    exactly: z
      .array(z.string().min(1))
      .optional()
      .meta({ description: 'These part types and no others, in this order.' }),
    excludes: z.array(z.string().min(1)).optional().meta({ description: 'None of these part types.' }),
  }),
])

const dataSchema = z.strictObject({
  type: z.string().min(1).optional().meta({ description: 'The part type; domain-data when left out.' }),
  schema: jsonObject.optional().meta({ description: 'A JSON Schema that the data fits.' }),
  equals: z.unknown().optional().meta({ description: 'What the data is.' }),
  includes: z.unknown().optional().meta({ description: 'What the data has among other things.' }),
  test: predicate<unknown>().optional(),
})

const callSchema = z.union([
  z.string().min(1),
  z.strictObject({
    name: z.string().min(1),
    args: z.unknown().optional().meta({ description: 'What the arguments have among other things.' }),
    outcome: z.enum(['ok', 'failed', 'unknown']).optional(),
  }),
])

const toolsSchema = z.union([
  z.array(callSchema),
  z.strictObject({
    includes: z.array(callSchema).optional().meta({ description: 'Each of these calls happens, in any order.' }),
    exactly: z.array(callSchema).optional().meta({ description: 'These calls and no others, in this order.' }),
    excludes: z.array(callSchema).optional().meta({ description: 'None of these calls happens.' }),
  }),
])

const requestSchema = z.union([
  z.string().min(1),
  z.strictObject({ tool: z.string().min(1), args: z.unknown().optional() }),
])

export const budgetSchema = z.strictObject({
  latency: durationSchema.optional().meta({ description: 'By the clock of the agent.' }),
  tokens: z.number().nonnegative().optional(),
  cost: z.number().nonnegative().optional().meta({ description: 'In the currency of the actor’s prices.' }),
  steps: z.number().int().nonnegative().optional(),
})

/** What must be true after a step of an evaluation, or of a whole conversation. */
export const expectationSchema = z.strictObject({
  state: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'The state of the turn, such as complete, clarifying or suspended.' }),
  text: textSchema.optional().meta({ description: 'Of what the agent says: its response, clarify and error parts.' }),
  parts: partsSchema.optional(),
  data: z.union([dataSchema, z.array(dataSchema)]).optional(),
  tools: toolsSchema.optional(),
  approvals: z
    .array(requestSchema)
    .optional()
    .meta({ description: 'The approvals that wait now; an empty list for none.' }),
  coordinates: z.record(z.string(), z.string()).optional().meta({ description: 'Coordinates of state machines.' }),
  budget: budgetSchema.optional(),
  check: predicate<TurnRecord>().optional(),
})

/** What is expected of an answer. */
export type Expectation = z.infer<typeof expectationSchema>
export type TextExpectation = Exclude<z.infer<typeof textSchema>, string | readonly string[]>
export type DataExpectation = z.infer<typeof dataSchema>
export type ExpectedCall = Exclude<z.infer<typeof callSchema>, string>
export type EvaluationBudget = z.infer<typeof budgetSchema>
