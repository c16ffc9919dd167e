import type { Principal } from '@cool-ai/beach-core'
import type { FlowRegistry, RegisteredFlow } from '../registry/flow-registry.ts'
import { extractEntities, type Entities, type MissingEntity, entityField, type EntityField } from './entities.ts'
import { scorer, type KnownIntent, type Scored } from './scoring.ts'

/** What is known when the user says something. */
export interface MatchContext {
  /** The flow that they are in, and the others that are open: some intents can only be meant there. */
  readonly activeFlow?: string | undefined
  readonly activeFlows?: readonly string[]
  /** What they may not use is not meant. */
  readonly principal?: Principal | undefined
  readonly roles?: readonly string[] | undefined
  readonly features?: readonly string[] | undefined
}

interface MatchOption {
  readonly intentId: string
  readonly label: string
  readonly description: string
  readonly confidence: number
  readonly entities: Entities
}

/** A flow that a message may mean, and how surely. */
export type Match =
  | { readonly kind: 'match'; readonly intentId: string; readonly confidence: number; readonly entities: Entities }
  | { readonly kind: 'ambiguous'; readonly question: string; readonly options: readonly MatchOption[] }
  | ({
      readonly kind: 'missing'
      readonly intentId: string
      readonly confidence: number
      /** What was said already. */
      readonly entities: Entities
    } & MissingEntity)
  | { readonly kind: 'none' }

/** Finds the flow that a message means. */
export interface Matcher {
  readonly match: (text: string, context?: MatchContext) => Match
}

/** How sure a matcher must be. */
export interface MatcherOptions {
  /** From here on a flow is meant, unless another one fits just as well; 0.9 when left out. */
  readonly confident?: number | undefined
  /** Below this a flow is not meant; 0.7 when left out. */
  readonly possible?: number | undefined
}

const maxOptions = 4
const justAsWell = 0.05
const nearly = 0.15

/** Finds flows by the examples and keywords of their intents: here, at once, and the same each time. */
export function localMatcher(registry: FlowRegistry, options: MatcherOptions = {}): Matcher {
  const { confident = 0.9, possible = 0.7 } = options
  if (!(possible > 0 && possible <= confident && confident <= 1)) {
    throw new RangeError(`0 < possible ≤ confident ≤ 1 must hold, not ${possible} and ${confident}.`)
  }
  let score: ((text: string) => Scored[]) | undefined
  for (const type of ['registered', 'updated', 'removed'] as const) registry.on(type, () => (score = undefined))

  return {
    match(text, context = {}) {
      score ??= scorer(registry.entries().map(knownIntent))
      const usable = usableFlows(registry, context)
      const [best, ...others] = score(text).filter(
        ({ intentId, confidence }) => usable.has(intentId) && confidence >= possible,
      )
      if (best === undefined) return { kind: 'none' }
      const rivals = best.confidence === 1 ? [] : others.filter((other) => isRival(registry, best, other, confident))
      if (rivals.length > 0) return ambiguous([best, ...rivals].slice(0, maxOptions), usable, text)
      const { intentId, confidence } = best
      return matchOf(usable.get(intentId), intentId, confidence, text)
    },
  }
}

function knownIntent({ flow, intent }: RegisteredFlow): KnownIntent {
  const field = intent === undefined ? {} : entityField(intent.extractionSchema)
  return {
    intentId: flow.intentId,
    examples: intent?.examples ?? flow.meta.examples,
    keywords: intent?.keywords ?? [],
    values: valueWords(field),
    open: takesAnyWords(field),
  }
}

function takesAnyWords(field: EntityField): boolean {
  return field.rest === true || field.after !== undefined || fieldsIn(field).some(takesAnyWords)
}

function valueWords(field: EntityField): string[] {
  const own = [...(field.enum ?? []).map(String), ...Object.values(field.words ?? {}).flat()]
  return [...own.map((word) => word.replaceAll(/[_-]/g, ' ')), ...fieldsIn(field).flatMap(valueWords)]
}

function fieldsIn({ properties = {}, items }: EntityField): EntityField[] {
  return [...Object.values(properties), ...(items ? [items] : [])]
}

function usableFlows(registry: FlowRegistry, context: MatchContext): Map<string, RegisteredFlow> {
  const { activeFlow, activeFlows = [], principal, roles, features } = context
  const entries = registry.entries({
    activeFlows: [...activeFlows, ...(activeFlow === undefined ? [] : [activeFlow])],
    allowedFor: principal && { principal, roles, features },
  })
  return new Map(entries.map((entry) => [entry.flow.intentId, entry]))
}

function isRival(registry: FlowRegistry, best: Scored, other: Scored, confident: number): boolean {
  const ahead = best.confidence - other.confidence
  if (best.confidence >= confident) return ahead < justAsWell
  const mixedUp = [
    [best, other],
    [other, best],
  ].some(([one, two]) => one && two && registry.getIntent(one.intentId)?.disambiguateFrom[two.intentId] !== undefined)
  return mixedUp || ahead < nearly
}

function matchOf(entry: RegisteredFlow | undefined, intentId: string, confidence: number, text: string): Match {
  const { entities, missing } = entitiesOf(entry, text)
  const [first] = missing
  if (first === undefined) return { kind: 'match', intentId, confidence, entities }
  return { kind: 'missing', intentId, confidence, entities, ...first }
}

function entitiesOf(entry: RegisteredFlow | undefined, text: string) {
  const intent = entry?.intent
  return intent === undefined
    ? { entities: {}, missing: [] }
    : extractEntities(intent.extractionSchema, text, framesOf(intent.examples))
}

/** The words of examples around their places, as "order a" in "order a {item}": they are about no value. */
function framesOf(examples: readonly string[]): string[] {
  return examples.filter((example) => example.includes('{')).map((example) => example.replaceAll(/\{[^}]*\}/g, ' '))
}

function ambiguous(scored: readonly Scored[], usable: ReadonlyMap<string, RegisteredFlow>, text: string): Match {
  const options = scored.flatMap(({ intentId, confidence }): MatchOption[] => {
    const entry = usable.get(intentId)
    if (entry === undefined) return []
    const { title, description } = entry.flow.meta
    const differs = scored.map((other) => usable.get(other.intentId)?.intent?.disambiguateFrom[intentId]).find(Boolean)
    const { entities } = entitiesOf(entry, text)
    return [{ intentId, label: title, description: differs ?? description, confidence, entities }]
  })
  const labels = options.map(({ label }) => `“${label}”`)
  const question = `Do you mean ${labels.slice(0, -1).join(', ')} or ${labels.at(-1) ?? ''}?`
  return { kind: 'ambiguous', question, options }
}
