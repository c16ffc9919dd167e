import { BeachError } from '@cool-ai/beach-core'
import * as z from 'zod'
import type { Flow } from './flow.ts'

/** How people ask for a flow, and what they may say with it. Made by `defineIntent`. */
export interface Intent<Entities extends z.ZodObject = z.ZodObject> {
  readonly kind: 'intent'
  readonly intentId: string
  /** What can be taken out of what the user says. */
  readonly extractionSchema: Entities
  readonly examples: readonly string[]
  readonly keywords: readonly string[]
  /** Flows that are easily mistaken for this one, and how they differ. */
  readonly disambiguateFrom: Readonly<Record<string, string>>
  readonly contextRequires?: ContextRequirement | undefined
  readonly capabilities: readonly string[]
  readonly limitations: readonly string[]
  readonly related: readonly string[]
}

/** When an intent can be meant at all. */
interface ContextRequirement {
  /** One of these flows must be open. */
  readonly activeFlow?: string | readonly string[] | undefined
}

type Given<Members> = { readonly [Name in keyof Members]?: Members[Name] | undefined }

/** How an intent is recognised. */
export interface IntentOptions<Entities extends z.ZodObject> extends Given<
  Omit<Intent<Entities>, 'kind' | 'disambiguateFrom'>
> {
  readonly flow?: Flow | undefined
  /** Ids of other flows, or how each of them differs. */
  readonly disambiguateFrom?: readonly string[] | Readonly<Record<string, string>> | undefined
}

/** Says how people ask for a flow. It is named by the flow itself or by its id. */
export function defineIntent<Entities extends z.ZodObject = z.ZodObject>(
  options: IntentOptions<Entities>,
): Intent<Entities> {
  const intentId = options.flow?.intentId ?? options.intentId
  if (intentId === undefined) throw new BeachError('INVALID_REGISTRATION', 'defineIntent needs a flow, or an intentId.')
  checkIntentId(intentId)
  if (options.intentId !== undefined && options.intentId !== intentId) {
    throw new BeachError('INVALID_REGISTRATION', `The intent ${options.intentId} was given the flow ${intentId}.`)
  }
  return {
    kind: 'intent',
    intentId,
    extractionSchema: options.extractionSchema ?? (z.object({}) as unknown as Entities),
    examples: options.examples ?? options.flow?.meta.examples ?? [],
    keywords: options.keywords ?? [],
    disambiguateFrom: differences(options.disambiguateFrom ?? []),
    contextRequires: options.contextRequires,
    capabilities: options.capabilities ?? [],
    limitations: options.limitations ?? [],
    related: options.related ?? [],
  }
}

function differences(from: readonly string[] | Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return isList(from) ? Object.fromEntries(from.map((intentId) => [intentId, ''])) : from
}

function isList(from: readonly string[] | Readonly<Record<string, string>>): from is readonly string[] {
  return Array.isArray(from)
}

const word = '[a-z][a-z0-9]*(?:_[a-z0-9]+)*'
const syntax = new RegExp(`^${word}(?:\\.${word})+$`)

/** The longest name that models take for a tool. */
const maxToolNameLength = 64

/** The name under which a flow is offered as a tool: many models take no dots. `intentIdOfTool` leads back. */
export function flowToolName(intentId: string): string {
  return intentId.replaceAll('.', '__')
}

/** The flow that a tool stands for; undefined for names that no flow can have. */
export function intentIdOfTool(name: string): string | undefined {
  const intentId = name.replaceAll('__', '.')
  return syntax.test(intentId) && flowToolName(intentId) === name ? intentId : undefined
}

/** Refuses what is no `domain.action`. */
export function checkIntentId(intentId: string): void {
  if (!syntax.test(intentId)) {
    throw new BeachError(
      'INVALID_REGISTRATION',
      `"${intentId}" is no intentId: write domain.action in lower case, with single underscores inside words, such as order.add_item.`,
    )
  }
  if (flowToolName(intentId).length > maxToolNameLength) {
    throw new BeachError(
      'INVALID_REGISTRATION',
      `The intentId ${intentId} is too long: as the name of a tool it may have ${maxToolNameLength} characters.`,
    )
  }
}
