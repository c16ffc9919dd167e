import { defined } from '../json.ts'
import type { Part } from '../part.ts'
import type { Choice, PartForm } from './choices.ts'
import { clarifyChoices, clarifyText, optionProblems } from './clarify-options.ts'
import { deliveryRulesProblem, isDeliveryDecision, type DeliveryRules } from './delivery-rules.ts'
import { Registry, type RegistryEntry, type RegistryOptions } from './registry.ts'

/** What is known of a part's conversation when the part is checked. */
export interface PartContext {
  /** The catalog of a surface that was shown before; undefined when that is not known. */
  readonly catalogOf?: ((surfaceId: string) => string | undefined) | undefined
}

/** What a part type may provide so that channels that do not know it can handle it. */
export interface PartTypeFunctions {
  /** What is wrong with a part of this type, one sentence each; nothing when it is right. */
  readonly validate?: ((part: Part, context?: PartContext) => readonly string[]) | undefined
  /** The part as plain text, for listeners that can show nothing else; undefined when it has no such form. */
  readonly toText?: ((part: Part, form?: PartForm) => string | undefined) | undefined
  /** The part as HTML, escaped, for mail and pages; undefined when it has no such form. */
  readonly toHtml?: ((part: Part, form?: PartForm) => string | undefined) | undefined
  /** What the part lets its reader choose, in the order of the numbers that a `form` gives them. */
  readonly choices?: ((part: Part) => readonly Choice[]) | undefined
  /** What the part changes in what slices show, for listeners that keep a copy of it. */
  readonly statePatch?: ((part: Part) => readonly PatchOperation[]) | undefined
  /**
   * True when a listener that begins later need not be told of the part: by what slices show now, what it is about is over,
   * or the listener has it, by what it says it was shown (`had`, which is the listener's word and may be anything).
   */
  readonly isOver?: ((part: Part, shown: ShownState, had: ShownState) => boolean) | undefined
}

/** What slices show, by name. */
export type ShownState = Readonly<Record<string, unknown>>

/** A step of a JSON Patch (RFC 6902). */
export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }

interface PartTypeDelivery {
  readonly deliveryRules: DeliveryRules
  /** The only transports that may carry it; all of them when absent. */
  readonly allowedTransports?: readonly string[] | undefined
  /** True when a peer gets it only if it says that it consumes it. */
  readonly requiresPeerConsumes?: boolean | undefined
  /** True when listeners that are not peers never get it. */
  readonly peersOnly?: boolean | undefined
  /**
   * What happens to a part that a model gets wrong again after it was told: `drop` leaves it out and delivers the rest
   * of the answer; when absent the answer is refused as a whole.
   */
  readonly whenInvalid?: 'drop' | undefined
  /** `tools`: models do not write it themselves; their tools emit it, and slices do. */
  readonly saidBy?: 'tools' | undefined
}

/** A registered part type. */
export interface PartTypeEntry extends RegistryEntry, PartTypeDelivery, PartTypeFunctions {
  /** The same as `id`. */
  readonly partType: string
}

/** A part type as `register` takes it. */
export interface PartTypeDeclaration extends PartTypeDelivery, PartTypeFunctions {
  readonly partType: string
  readonly isCanonical?: boolean | undefined
}

/** The earlier form of a registration, mapped to delivery rules. */
export interface PartTypeMetaDeclaration extends PartTypeFunctions {
  readonly id: string
  readonly isCanonical?: boolean | undefined
  readonly meta?:
    | {
        /** True: flushed to streaming listeners; false: they get it at settlement; absent: once it is there. */
        readonly streamingPreferred?: boolean | undefined
        /** `dropped`, `attached`, or one of the ten decisions. */
        readonly buffered?: string | undefined
        /** How bytes stand in the part's data, such as `base64`; such parts are attached unless `buffered` says otherwise. */
        readonly serialisation?: string | undefined
      }
    | undefined
}

/** A part type as `register` takes it, in either form. */
export type PartTypeRegistration = PartTypeDeclaration | PartTypeMetaDeclaration

/** What `amend` may change of a part type that is already there. */
export type PartTypeAmendment = Partial<PartTypeDelivery> & PartTypeFunctions

const deliveryKeys = [
  'deliveryRules',
  'allowedTransports',
  'requiresPeerConsumes',
  'peersOnly',
  'whenInvalid',
  'saidBy',
] as const
const functionKeys = ['validate', 'toText', 'toHtml', 'choices', 'statePatch', 'isOver'] as const
const declarationKeys = ['partType', 'isCanonical', ...deliveryKeys, ...functionKeys]
const metaDeclarationKeys = ['id', 'isCanonical', 'meta', ...functionKeys]

/** The part types that actors may use. */
export class PartTypeRegistry extends Registry<PartTypeRegistration, PartTypeEntry> {
  protected readonly noun = 'part type'

  /** A registry with all canonical part types. */
  static canonical(options?: RegistryOptions): PartTypeRegistry {
    return new PartTypeRegistry(options, canonicalPartTypes)
  }

  override register(registration: PartTypeRegistration): PartTypeEntry {
    const isNew = !this.has(idOf(registration))
    const entry = super.register(registration)
    if (isNew && !entry.isCanonical && !entry.id.includes('.')) {
      this.logger.log(
        'warn',
        `The part type '${entry.id}' has no namespace; a name such as 'yourapp.${entry.id}' cannot collide with others.`,
      )
    }
    return entry
  }

  /** Changes a registered part type at start-up: a renderer brings `toText`, an application its own delivery rules. */
  amend(partType: string, changes: PartTypeAmendment): PartTypeEntry {
    const existing = this.get(partType)
    if (existing === undefined) throw this.refusal(partType, 'is not registered, so it cannot be amended.')
    this.checkedKeys(partType, changes, [...deliveryKeys, ...functionKeys])
    return this.put(Object.freeze(this.#checked({ ...existing, ...changes })))
  }

  protected override toEntry(registration: PartTypeRegistration): PartTypeEntry {
    const id = this.checkedId(idOf(registration))
    return this.#checked('partType' in registration ? this.#declared(id, registration) : this.#mapped(id, registration))
  }

  #declared(id: string, declaration: PartTypeDeclaration): PartTypeEntry {
    this.checkedKeys(id, declaration, declarationKeys)
    return { id, ...declaration, isCanonical: declaration.isCanonical ?? false }
  }

  #mapped(id: string, { meta = {}, ...declaration }: PartTypeMetaDeclaration): PartTypeEntry {
    this.checkedKeys(id, declaration, metaDeclarationKeys)
    const deliveryRules = this.#mappedRules(id, meta)
    return { ...declaration, id, partType: id, deliveryRules, isCanonical: declaration.isCanonical ?? false }
  }

  #mappedRules(id: string, meta: NonNullable<PartTypeMetaDeclaration['meta']>): DeliveryRules {
    const { streamingPreferred, serialisation } = meta
    const buffered = meta.buffered ?? (serialisation === 'base64' ? 'attach' : 'at-settlement')
    const decision = bufferedNames[buffered] ?? buffered
    if (!isDeliveryDecision(decision))
      throw this.refusal(id, deliveryRulesProblem({ streaming: 'once', buffered }) ?? '')
    return {
      streaming: streamingPreferred === undefined ? 'once' : streamingPreferred ? 'flush' : 'at-settlement',
      buffered: decision,
      serialisation,
    }
  }

  #checked(entry: PartTypeEntry): PartTypeEntry {
    const problem = deliveryRulesProblem(entry.deliveryRules) ?? entryProblem(entry)
    if (problem !== undefined) throw this.refusal(entry.id, problem)
    const { deliveryRules, allowedTransports } = entry
    const transports = deliveryRules.transports && Object.freeze({ ...deliveryRules.transports })
    return defined({
      ...entry,
      deliveryRules: Object.freeze(defined({ ...deliveryRules, transports })),
      allowedTransports: allowedTransports && Object.freeze([...allowedTransports]),
    })
  }
}

const bufferedNames: Readonly<Record<string, string>> = { dropped: 'drop', attached: 'attach' }

function idOf(registration: PartTypeRegistration): string {
  return 'partType' in registration ? registration.partType : registration.id
}

function entryProblem(entry: PartTypeEntry): string | undefined {
  const { allowedTransports } = entry
  if (allowedTransports !== undefined && !isListOfNames(allowedTransports)) {
    return 'has allowedTransports that are not a list of transports; leave it out to allow all of them.'
  }
  for (const key of ['isCanonical', 'requiresPeerConsumes', 'peersOnly'] as const) {
    if (entry[key] !== undefined && typeof entry[key] !== 'boolean') return `has a ${key} that is not true or false.`
  }
  if (entry.whenInvalid !== undefined && entry.whenInvalid !== 'drop') return "has a whenInvalid that is not 'drop'."
  if (entry.saidBy !== undefined && entry.saidBy !== 'tools') return "has a saidBy that is not 'tools'."
  const wrong = functionKeys.find((key) => entry[key] !== undefined && typeof entry[key] !== 'function')
  return wrong === undefined ? undefined : `has a ${wrong} that is not a function.`
}

function isListOfNames(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === 'string')
}

const needsText = (part: Part): string[] =>
  typeof part.text === 'string' ? [] : [`A part of type '${part.metadata.partType}' needs a text.`]

const needsQuestion = (part: Part): string[] => [...needsText(part), ...optionProblems(part)]

const textOf = (part: Part): string | undefined => part.text

/** The conversational signals of an actor, with their delivery rules. */
const conversationalPartTypes: readonly PartTypeDeclaration[] = (
  [
    ['ack', { streaming: 'flush', buffered: 'drop' }],
    ['thinking', { streaming: 'flush', buffered: 'drop' }],
    ['response', { streaming: 'delta', buffered: 'final-state' }],
    ['clarify', { streaming: 'flush', buffered: 'flush' }],
    ['error', { streaming: 'flush', buffered: 'flush' }],
  ] as const
).map(([partType, deliveryRules]) => ({
  partType,
  deliveryRules,
  validate: partType === 'clarify' ? needsQuestion : needsText,
  toText: partType === 'clarify' ? clarifyText : textOf,
  choices: partType === 'clarify' ? clarifyChoices : undefined,
}))

// The base of every canonical registry. The protocol package, which has the schemas of their data, adds the part types
// of envelopes when it is loaded: every agent loads it.
const canonicalPartTypes = new PartTypeRegistry()
addCanonicalPartTypes(conversationalPartTypes)

/** Adds part types to every canonical registry, also to those that exist already. */
export function addCanonicalPartTypes(declarations: readonly PartTypeDeclaration[]): void {
  for (const declaration of declarations) canonicalPartTypes.register({ ...declaration, isCanonical: true })
}

/** The default registry, into which packages and the specification's samples register. */
export const partTypeRegistry: PartTypeRegistry = PartTypeRegistry.canonical()

/** The default registry by its other name. */
export const partTypes: PartTypeRegistry = partTypeRegistry
