import { BeachError } from '@cool-ai/beach-core'
import * as z from 'zod'

// As Protocol Buffers write it: null is the same as nothing, whole numbers may be texts, unknown members are ignored.

/** The longest id that a caller may choose. */
export const maxIdLength = 256

export const text = z.string('must be a text').nullish()
export const id = z.string('must be a text').max(maxIdLength, `has more than ${maxIdLength} characters`).nullish()
export const flag = z.boolean('must be true or false').nullish()
export const texts = z.array(z.string('must be a text'), 'must be a list of texts').nullish()
export const object = z.looseObject({}, 'must be an object').nullish()
export const base64 = z
  .string('must be a text')
  .regex(/^[\w+/-]*={0,2}$/, 'must be base64')
  .nullish()
export const count = z
  .union([z.int(), z.string().regex(/^-?\d{1,9}$/)], 'must be a whole number')
  .refine((value) => Number(value) >= 0, 'must be 0 or more')
  .nullish()

export const messageId = z
  .string('must be a text')
  .min(1, 'is empty')
  .max(maxIdLength, `has more than ${maxIdLength} characters`)

/** A message of Protocol Buffers, whose members may have their other names too: `message_id` is `messageId`. */
export function members<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess(camelCased, schema)
}

/** An object with the names of its members in camel case; where both are there, those are the ones that are read. */
export function camelCased(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const entries = Object.entries(value)
  if (!entries.some(([name]) => name.includes('_'))) return value
  const named = entries.map(([name, member]) => [camelCase(name), member])
  return Object.fromEntries([...named, ...entries.filter(([, member]) => member !== null)])
}

function camelCase(name: string): string {
  return name.replaceAll(/_[a-z]/g, ([, letter = '']) => letter.toUpperCase())
}

/** A list of parts, as many as a message may have. */
export function partsOf<Part extends z.ZodType>(part: Part) {
  return z.array(part, 'must be a list of parts').min(1, 'is empty').max(100, 'has more than 100 parts')
}

/** Refuses parameters that a schema does not fit, with what is wrong and where. */
export function requireParams(method: string, schema: z.ZodType, params: unknown): void {
  const result = schema.safeParse(params)
  if (result.success) return
  const problems = result.error.issues.slice(0, 5).map(({ path, message }) => `${path.join('.')}: ${message}`)
  throw new BeachError('BAD_REQUEST', `The parameters of ${method} are not right. ${problems.join('; ')}.`)
}
