import { BeachError } from '@cool-ai/beach-core'
import * as z from 'zod'
import type { Flow } from './flow.ts'
import { checkIntentId } from './intent-id.ts'

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
  readonly contextRequires?: ContextRequirement
  readonly capabilities: readonly string[]
  readonly limitations: readonly string[]
  readonly related: readonly string[]
}

/** When an intent can be meant at all. */
export interface ContextRequirement {
  /** One of these flows must be open. */
  readonly activeFlow?: string | readonly string[]
}

export interface IntentOptions<Entities extends z.ZodObject> {
  readonly flow?: Flow | undefined
  readonly intentId?: string | undefined
  readonly extractionSchema?: Entities | undefined
  readonly examples?: readonly string[] | undefined
  readonly keywords?: readonly string[] | undefined
  /** Ids of other flows, or how each of them differs. */
  readonly disambiguateFrom?: readonly string[] | Readonly<Record<string, string>> | undefined
  readonly contextRequires?: ContextRequirement | undefined
  readonly capabilities?: readonly string[] | undefined
  readonly limitations?: readonly string[] | undefined
  readonly related?: readonly string[] | undefined
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
    ...(options.contextRequires === undefined ? {} : { contextRequires: options.contextRequires }),
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
