import { BeachError } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import type { A2uiMessage } from '@cool-ai/beach-protocol'
import type { AnyStateMachine } from 'xstate'
import * as z from 'zod'
import { plainJson } from '../schemas/json-problem.ts'
import { displayModes, priorities } from '../schemas/server-payloads.ts'
import type { Flow, FlowEvents, FlowMeta, FlowMigration, FlowView } from './flow.ts'
import { childEvents, flowMachine } from './xstate-machine.ts'
import { checkIntentId } from './intent.ts'
import type { FlowPermissions } from './permissions.ts'
import { isVersion } from './migrations.ts'

/** What is said of a flow; the rest has defaults. */
export type FlowMetaOptions = Pick<FlowMeta, 'title' | 'description'> & Partial<FlowMeta>

/** What a flow is made of. */
export interface FlowOptions<Schema extends z.ZodObject, Events extends FlowEvents> {
  /** `domain.action`, such as `order.place`. */
  readonly intentId: string
  /** 1.0.0 when left out. */
  readonly version?: string | undefined
  readonly meta: FlowMetaOptions
  readonly schema: Schema
  /** A machine of XState 5 with flat states, whose guards and assignments are pure. */
  readonly machine: AnyStateMachine
  readonly events: Events
  /** What the machine's context begins with. */
  readonly context?: ((props: z.output<Schema>) => Record<string, unknown>) | undefined
  readonly permissions?: FlowPermissions | undefined
  readonly migrations?: readonly FlowMigration[] | undefined
  readonly text?: ((view: FlowView<z.output<Schema>>) => string) | undefined
  /**
   * The flow as a surface of A2UI: an action's name is that of an event, its context the payload. The usual one when left
   * out, and where it returns undefined.
   */
  readonly surface?: (view: FlowView<z.output<Schema>>) => readonly A2uiMessage[] | undefined
}

/** Makes a flow, and refuses one that could not work. */
export function defineFlow<const Schema extends z.ZodObject, const Events extends FlowEvents>(
  options: FlowOptions<Schema, Events>,
): Flow<Schema, Events> {
  const { intentId, version = '1.0.0', schema, events, migrations = [], permissions = {} } = options
  const { context, text, surface } = options
  checkIntentId(intentId)
  const refuse = (problem: string) => new BeachError('INVALID_REGISTRATION', `The flow ${intentId}: ${problem}`)
  for (const problem of [
    ...versionProblems(version, migrations),
    ...metaProblems(options.meta),
    ...schemaProblems(schema),
  ]) {
    throw refuse(problem)
  }
  const machine = flowMachine(options.machine, refuse)
  for (const problem of eventProblems(machine.allEvents, events)) throw refuse(problem)
  return {
    kind: 'flow',
    intentId,
    version,
    meta: metaOf(options.meta),
    schema,
    machine,
    events,
    permissions,
    migrations,
    context: (props) => plainJson(context?.(props) ?? {}) as Record<string, unknown>,
    ...defined({ text, surface }),
  }
}

function metaOf(meta: FlowMetaOptions): FlowMeta {
  return {
    displayMode: 'inline',
    priority: 'normal',
    dismissable: true,
    streaming: false,
    retainOnFinal: false,
    examples: [],
    ...meta,
  }
}

function* versionProblems(version: string, migrations: readonly FlowMigration[]): Generator<string> {
  const needed = 'must be three numbers, such as 1.2.0.'
  if (!isVersion(version)) yield `its version "${version}" ${needed}`
  for (const { from, to } of migrations) {
    if (!isVersion(from) || !isVersion(to)) yield `the versions of its migration from "${from}" to "${to}" ${needed}`
    if (from === to) yield `its migration from ${from} leads to the same version.`
  }
}

function* metaProblems(meta: FlowMetaOptions): Generator<string> {
  if (meta.title.trim() === '' || meta.description.trim() === '') yield 'it needs a title and a description.'
  if (meta.displayMode !== undefined && !displayModes.includes(meta.displayMode)) {
    yield `its displayMode must be one of ${displayModes.join(', ')}.`
  }
  if (meta.priority !== undefined && !priorities.includes(meta.priority)) {
    yield `its priority must be one of ${priorities.join(', ')}.`
  }
  if (meta.expiresInMs !== undefined && !(meta.expiresInMs > 0)) yield 'its expiresInMs must be a number above 0.'
}

function* schemaProblems(schema: unknown): Generator<string> {
  if (!(schema instanceof z.ZodObject)) yield 'its schema must be a z.object of its props.'
}

/** Every event of the machine is declared, and every declared event is taken somewhere. */
function* eventProblems(taken: readonly string[], events: FlowEvents): Generator<string> {
  for (const name of taken) {
    if (name.startsWith(childEvents) || Object.hasOwn(events, name)) continue
    if (name.includes('*')) yield `its machine takes "${name}"; name each event, so that it can be checked.`
    yield `its machine takes ${name}, which is not in events. Add ${name}: { source: 'client' } or 'server'.`
  }
  for (const [name, { source, schema, local, confirm }] of Object.entries(events)) {
    if (!taken.includes(name) && local !== true) yield `its event ${name} is taken in no state of its machine.`
    if (source !== 'client' && source !== 'server') yield `the source of ${name} must be 'client' or 'server'.`
    if (source === 'server' && (local === true || confirm === true)) {
      yield `${name} is the server's own: it can be neither local nor confirmed.`
    }
    if (schema !== undefined && !(schema instanceof z.ZodType)) yield `the schema of ${name} must be one of zod.`
  }
}
