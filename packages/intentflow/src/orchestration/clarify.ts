import type { Principal } from '@cool-ai/beach-core'
import { assign, createMachine } from 'xstate'
import * as z from 'zod'
import { defineEventHandlers } from '../definition/event-handlers.ts'
import { defineFlow } from '../definition/define-flow.ts'
import { defineHydrator } from '../definition/hydrator.ts'
import { defineIntent } from '../definition/intent.ts'
import type { FlowRegistry } from '../registry/flow-registry.ts'
import { defineConversation } from './conversation.ts'
import { extractAnswer, missingEntities, type Entities } from './entities.ts'
import type { Match } from './matcher.ts'
import { ordinalOf, wordsOf } from './words.ts'

const entities = z.record(z.string(), z.unknown())

/** A question that must be answered before a flow can be shown. */
export const clarifySchema = z.object({
  question: z.string().min(1).max(500),
  /** Ready answers; for a choice between flows, those flows. */
  options: z
    .array(
      z.object({ id: z.string().max(128), label: z.string().max(200), description: z.string().max(500).optional() }),
    )
    .max(12),
  /** What it is about: which flow, which of its fields, and what is known already; flows to choose between otherwise. */
  about: z.object({
    intentId: z.string().max(128).optional(),
    field: z.string().max(128).optional(),
    entities: entities.optional(),
    choices: z.record(z.string(), entities).optional(),
  }),
})
/** A question about what was meant. */
export type Clarify = z.infer<typeof clarifySchema>

/** The flow that an answer leads to, or the question that is still open. */
export type Clarified =
  | { readonly kind: 'open'; readonly intentId: string; readonly entities: Entities }
  | { readonly kind: 'ask'; readonly clarify: Clarify }

/** The question that a match leads to; undefined when there is none. */
export function clarifyOf(match: Match): Clarify | undefined {
  if (match.kind === 'ambiguous') {
    const options = match.options.map(({ intentId, label, description }) => ({ id: intentId, label, description }))
    const choices = Object.fromEntries(match.options.map((option) => [option.intentId, { ...option.entities }]))
    return { question: match.question, options, about: { choices } }
  }
  if (match.kind !== 'missing') return undefined
  return asking(match.intentId, match.field, match.question, match.options, match.entities)
}

/** What an answer to the question leads to; undefined when it is no answer. */
export function clarified(
  registry: FlowRegistry,
  { options, about, question }: Clarify,
  answer: string,
): Clarified | undefined {
  if (about.intentId === undefined) {
    const chosen = pickOption(options, answer)
    return chosen && complete(registry, chosen.id, about.choices?.[chosen.id] ?? {})
  }
  const schema = registry.getIntent(about.intentId)?.extractionSchema
  if (schema === undefined || about.field === undefined) return undefined
  const chosen = namedOption(options, answer)
  const value = extractAnswer(schema, about.field, chosen?.label ?? answer)
  if (value === undefined) return { kind: 'ask', clarify: { question, options, about } }
  return complete(registry, about.intentId, { ...about.entities, [about.field]: value })
}

/** The flow, or the question for what it still lacks. */
function complete(registry: FlowRegistry, intentId: string, known: Entities): Clarified {
  const schema = registry.getIntent(intentId)?.extractionSchema
  const [missing] = schema === undefined ? [] : missingEntities(schema, known)
  if (missing === undefined) return { kind: 'open', intentId, entities: known }
  return { kind: 'ask', clarify: asking(intentId, missing.field, missing.question, missing.options, known) }
}

function asking(
  intentId: string,
  field: string,
  question: string,
  options: readonly string[] = [],
  known: Entities,
): Clarify {
  return {
    question,
    options: options.map((label) => ({ id: label, label })),
    about: { intentId, field, entities: { ...known } },
  }
}

const machine = createMachine({
  id: 'intentflow.clarify',
  initial: 'asking',
  context: {},
  states: {
    asking: {
      on: {
        ANSWER: {
          target: 'answering',
          actions: assign(({ event }) => ({ answer: (event.payload as { answer: string }).answer })),
        },
        CANCEL: { target: 'cancelled' },
      },
    },
    answering: { on: { DONE: { target: 'answered' }, AGAIN: { target: 'asking' }, FAILURE: { target: 'asking' } } },
    answered: { type: 'final' },
    cancelled: { type: 'final' },
  },
})

/** The built-in flow that asks which flow is meant, or for what one lacks. */
export const clarifyFlow = defineFlow({
  intentId: 'intentflow.clarify',
  meta: {
    title: 'A question',
    description: 'Asks which of several flows is meant, or for a value that one needs.',
    category: 'intentflow',
    displayMode: 'inline',
    expiresInMs: 60 * 60 * 1_000,
  },
  schema: clarifySchema,
  machine,
  events: {
    ANSWER: { source: 'client', schema: z.object({ answer: z.string().trim().min(1).max(1_000) }), label: 'Answer' },
    CANCEL: { source: 'client', label: 'Never mind' },
    DONE: { source: 'server' },
    AGAIN: { source: 'server' },
    FAILURE: { source: 'server' },
  },
  text: ({ props: { question, options } }) =>
    [question, ...options.map(({ label }, index) => `${index + 1}. ${label}`)].join('\n'),
})

/** Accepts what a client could say. */
export interface FlowOpener {
  say(
    session: string,
    said: unknown,
    by: Principal,
  ): Promise<{ readonly results: readonly { readonly status: string }[] }>
}

/** Adds the flow that asks to a registry; `opener` opens what an answer leads to. */
export function registerClarify(registry: FlowRegistry, opener: FlowOpener): void {
  const intent = defineIntent({ flow: clarifyFlow, extractionSchema: clarifySchema })
  registry.register(clarifyFlow, {
    intent,
    hydrator: defineHydrator(clarifyFlow, intent, ({ entities: props }) => ({ props })),
    handlers: defineEventHandlers(clarifyFlow, {
      ANSWER: {
        idempotent: true,
        run: async ({ props, payload, session, principal, idempotencyKey }) => {
          const found = clarified(registry, props, payload.answer)
          if (found?.kind !== 'open') {
            const { question, options, about } = found?.clarify ?? props
            return { event: 'AGAIN', propsUpdate: { patch: { question, options, about } } }
          }
          const invoke = { eventId: `${idempotencyKey}.open`, intentId: found.intentId, entities: found.entities }
          const { results } = await opener.say(session, { v: 1, invoke }, principal)
          return { event: results[0]?.status === 'rejected' ? 'AGAIN' : 'DONE' }
        },
      },
    }),
    conversation: defineConversation(clarifyFlow, [
      { says: ['(never mind|nevermind|forget it|cancel|none|none of them|neither)'], means: 'CANCEL' },
      {
        says: ['{answer}'],
        means: ({ text, props }) => {
          const found = clarified(registry, props, text)
          return found?.kind === 'open' ? { kind: 'event', event: 'ANSWER', payload: { answer: text } } : undefined
        },
      },
    ]),
  })
}

interface Option {
  readonly id: string
  readonly label: string
}

/** Which of some options an answer names: by its name, its id or its place. */
function namedOption<Item extends Option>(options: readonly Item[], text: string): Item | undefined {
  const words = wordsOf(text)
  const said = words.map(({ stem }) => stem).join(' ')
  const whole = options.find(({ id, label }) => [id, label].some((name) => stems(name).join(' ') === said))
  const place = ordinalOf(words, options.length)
  return whole ?? (place === undefined ? undefined : options[place])
}

/** Which of some options an answer means: the one that it names, or the one that has most of its words for itself. */
function pickOption<Item extends Option>(options: readonly Item[], text: string): Item | undefined {
  const named = namedOption(options, text)
  if (named !== undefined) return named
  const words = wordsOf(text)
  const scored = options.map((option) => {
    const own = new Set(stems(option.label))
    return { option, hits: words.filter(({ stem }) => own.has(stem) && onlyOf(options, option, stem)).length }
  })
  const [best, next] = scored.toSorted((one, other) => other.hits - one.hits)
  return best !== undefined && best.hits > (next?.hits ?? 0) ? best.option : undefined
}

function onlyOf<Item extends Option>(options: readonly Item[], one: Item, stem: string): boolean {
  return !options.some((other) => other !== one && stems(other.label).includes(stem))
}

function stems(text: string): string[] {
  return wordsOf(text).map(({ stem }) => stem)
}
