import { BeachError } from '@cool-ai/beach-core'
import type { FlowConversation, Flow } from '../definition/flow.ts'
import type { EventHandlers, FlowWatch } from '../definition/event-handlers.ts'
import type { Hydrator } from '../definition/hydrator.ts'
import type { Intent } from '../definition/intent.ts'
import { checkPermissions, type PermissionCheck, type FlowUser } from '../definition/permissions.ts'
import { compareVersions } from '../definition/migrations.ts'
import {
  capabilityManifest,
  type CapabilityManifest,
  categoriesOf,
  type FlowCategory,
  type FlowCategoryOptions,
  toolDefinition,
  type FlowToolDefinition,
} from './capability-manifest.ts'
import { searchFlows, type FoundFlow, type SearchOptions } from './search.ts'
import type { DisplayMode } from '../schemas/server-payloads.ts'

/** A flow with its intent, hydrator and handlers. */
export interface FlowParts {
  readonly intent?: Intent | undefined
  readonly hydrator?: Hydrator | undefined
  readonly handlers?: EventHandlers | undefined
  readonly conversation?: FlowConversation | undefined
  readonly watch?: FlowWatch | undefined
}

/** A flow as a registry holds it. */
export interface RegisteredFlow extends FlowParts {
  readonly flow: Flow
}

/** Something of a registry has changed. `registered`: a flow, or a version of it, is new. */
export interface RegistryEvent {
  readonly type: 'registered' | 'updated' | 'removed'
  readonly intentId: string
  readonly version: string
}

type Listener = (event: RegistryEvent) => void

/**
 * The flows that can be invoked. Versions of a flow stand side by side: new instances are of the newest one, and older
 * ones stay with theirs for as long as it is registered.
 */
export class FlowRegistry {
  readonly #flows = new Map<string, Map<string, RegisteredFlow>>()
  readonly #categories = new Map<string, FlowCategoryOptions>()
  readonly #listeners = new Map<RegistryEvent['type'], Set<Listener>>()

  /** Adds a flow; one of the same id and version is replaced. */
  register(flow: Flow, parts: FlowParts = {}): this {
    checkParts(flow, parts)
    const versions = this.#flows.get(flow.intentId) ?? new Map<string, RegisteredFlow>()
    const type = versions.has(flow.version) ? 'updated' : 'registered'
    versions.set(flow.version, { flow, ...parts })
    this.#flows.set(flow.intentId, versions)
    this.#tell({ type, intentId: flow.intentId, version: flow.version })
    return this
  }

  /** Takes a flow out, or one version of it. False if it was not there. */
  unregister(intentId: string, version?: string): boolean {
    const versions = this.#flows.get(intentId)
    const gone = [...(versions?.keys() ?? [])].filter((each) => version === undefined || each === version)
    for (const each of gone) {
      versions?.delete(each)
      if (versions?.size === 0) this.#flows.delete(intentId)
      this.#tell({ type: 'removed', intentId, version: each })
    }
    return gone.length > 0
  }

  /** A flow with what belongs to it; the newest version unless one is named. */
  get(intentId: string, version?: string): RegisteredFlow | undefined {
    const versions = this.#flows.get(intentId)
    if (versions === undefined) return undefined
    if (version !== undefined) return versions.get(version)
    return [...versions.values()].reduce((newest, each) =>
      compareVersions(each.flow.version, newest.flow.version) > 0 ? each : newest,
    )
  }

  /** The newest version of every flow that passes, with what belongs to it. */
  entries(filter: FlowFilter = {}): RegisteredFlow[] {
    return [...this.#flows.keys()]
      .flatMap((intentId) => this.get(intentId) ?? [])
      .filter((entry) => passes(entry, filter))
  }

  hasFlow(intentId: string, version?: string): boolean {
    return this.get(intentId, version) !== undefined
  }

  getFlow(intentId: string, version?: string): Flow | undefined {
    return this.get(intentId, version)?.flow
  }

  getFlows(filter?: FlowFilter): Flow[] {
    return this.entries(filter).map(({ flow }) => flow)
  }

  getIntent(intentId: string): Intent | undefined {
    return this.get(intentId)?.intent
  }

  getIntents(filter?: FlowFilter): Intent[] {
    return this.entries(filter).flatMap(({ intent }) => intent ?? [])
  }

  /** The versions of a flow, the newest first. */
  versions(intentId: string): string[] {
    return [...(this.#flows.get(intentId)?.keys() ?? [])].toSorted((a, b) => compareVersions(b, a))
  }

  search(text: string, options: SearchOptions = {}): FoundFlow[] {
    return searchFlows(text, this.entries(options.filter), options)
  }

  /** Names a category that flows are in, and says more of it. */
  describeCategory(category: FlowCategoryOptions): this {
    this.#categories.set(category.id, category)
    return this
  }

  categories(filter?: FlowFilter): FlowCategory[] {
    return categoriesOf(this.getFlows(filter), this.#categories)
  }

  checkPermissions(flow: Flow, who: FlowUser): PermissionCheck {
    return checkPermissions(flow, who)
  }

  /** Calls the listener whenever that happens; what it returns ends that. */
  on(type: RegistryEvent['type'], listener: Listener): () => void {
    const listeners = this.#listeners.get(type) ?? new Set<Listener>()
    this.#listeners.set(type, listeners.add(listener))
    return () => void listeners.delete(listener)
  }

  /** The flows as tools for models. `intentIdOfTool` leads from the name of a tool back to its flow. */
  toToolDefinitions(filter?: FlowFilter): FlowToolDefinition[] {
    return this.entries(filter).map(toolDefinition)
  }

  toCapabilityManifest(filter?: FlowFilter): CapabilityManifest {
    return capabilityManifest(this.entries(filter), this.categories(filter))
  }

  #tell(event: RegistryEvent): void {
    for (const listener of this.#listeners.get(event.type) ?? []) listener(event)
  }
}

/** Flows and what belongs to them, joined by their intentIds. */
export interface FlowBundle {
  readonly flows: readonly Flow[]
  readonly intents?: readonly Intent[] | undefined
  readonly hydrators?: readonly Hydrator[] | undefined
  readonly handlers?: readonly EventHandlers[] | undefined
  readonly conversations?: readonly FlowConversation[] | undefined
  readonly watches?: Readonly<Record<string, FlowWatch>> | undefined
  readonly categories?: readonly FlowCategoryOptions[] | undefined
}

/** A registry of a bundle. What belongs to no flow of it is refused. */
export function createRegistry(bundle: FlowBundle): FlowRegistry {
  const registry = new FlowRegistry()
  const ids = new Set(bundle.flows.map(({ intentId }) => intentId))
  const intents = byIntentId(ids, bundle.intents)
  const hydrators = byIntentId(ids, bundle.hydrators)
  const handlers = byIntentId(ids, bundle.handlers)
  const conversations = byIntentId(ids, bundle.conversations)
  for (const intentId of Object.keys(bundle.watches ?? {})) checkKnown(ids, { kind: 'watch', intentId })
  for (const flow of bundle.flows) {
    const { intentId } = flow
    registry.register(flow, {
      intent: intents.get(intentId),
      hydrator: hydrators.get(intentId),
      handlers: handlers.get(intentId),
      conversation: conversations.get(intentId),
      watch: bundle.watches?.[intentId],
    })
  }
  for (const category of bundle.categories ?? []) registry.describeCategory(category)
  return registry
}

interface FlowRegistration {
  readonly kind: string
  readonly intentId: string
}

function byIntentId<Each extends FlowRegistration>(
  ids: ReadonlySet<string>,
  all: readonly Each[] = [],
): Map<string, Each> {
  const found = new Map<string, Each>()
  for (const each of all) {
    checkKnown(ids, each)
    if (found.has(each.intentId)) {
      throw new BeachError('INVALID_REGISTRATION', `The flow ${each.intentId} has more than one ${each.kind}.`)
    }
    found.set(each.intentId, each)
  }
  return found
}

function checkKnown(ids: ReadonlySet<string>, { kind, intentId }: FlowRegistration): void {
  if (ids.has(intentId)) return
  throw new BeachError(
    'INVALID_REGISTRATION',
    `There is a ${kind} for ${intentId}, but no such flow. Flows: ${[...ids].join(', ') || 'none'}.`,
  )
}

function checkParts({ intentId, kind }: Flow, { intent, hydrator, handlers, conversation }: FlowParts): void {
  if (kind !== 'flow') throw new BeachError('INVALID_REGISTRATION', 'register takes what defineFlow has made.')
  for (const part of [intent, hydrator, handlers, conversation]) {
    if (part !== undefined && part.intentId !== intentId) {
      throw new BeachError(
        'INVALID_REGISTRATION',
        `The flow ${intentId} was given the ${part.kind} of ${part.intentId}. Register each with its own flow.`,
      )
    }
  }
}

/** Which flows are wanted; all that is named must hold. */
export interface FlowFilter {
  readonly category?: string | undefined
  readonly displayMode?: DisplayMode | undefined
  /** Only those that do, or do not, need a signed-in user. */
  readonly requiresAuth?: boolean | undefined
  /** Only those that this person may use. */
  readonly allowedFor?: FlowUser | undefined
  /** Only those that can be meant while these flows are open. */
  readonly activeFlows?: readonly string[] | undefined
}

function passes(entry: RegisteredFlow, filter: FlowFilter): boolean {
  const { flow } = entry
  const { category, displayMode, requiresAuth, allowedFor, activeFlows } = filter
  if (category !== undefined && flow.meta.category !== category) return false
  if (displayMode !== undefined && flow.meta.displayMode !== displayMode) return false
  if (requiresAuth !== undefined && requiresAuth !== needsAuth(entry)) return false
  if (allowedFor !== undefined && !checkPermissions(flow, allowedFor).allowed) return false
  return activeFlows === undefined || fitsContext(entry, activeFlows)
}

function needsAuth({ flow: { permissions } }: RegisteredFlow): boolean {
  return permissions.auth === true || (permissions.roles?.length ?? 0) + (permissions.scopes?.length ?? 0) > 0
}

/** True when an intent can be meant while these flows are open. */
function fitsContext({ intent }: RegisteredFlow, activeFlows: readonly string[]): boolean {
  const required = intent?.contextRequires?.activeFlow
  return required === undefined || [required].flat().some((intentId) => activeFlows.includes(intentId))
}
