import { checkOrigins } from '@cool-ai/beach-channel/http'
import { BeachError, systemRuntime, type Runtime, type Store } from '@cool-ai/beach-core'
import {
  DeclaredSecrets,
  defined,
  runtimeWith,
  secretsOfEnvironment,
  withoutSecrets,
} from '@cool-ai/beach-core/runtime'
import type { Secret } from '@cool-ai/beach-core/tokens'
import type { BeachCard, BeachOptions } from './beach-options.ts'
import { plainOptions, type PlainOptions } from './earlier-options.ts'
import { encryptionOf, keysIn } from './encryption.ts'
import { isInspected, withInspectLinks } from './inspect-links.ts'
import { openData, type BeachData } from './open-data.ts'
import { checkOptions } from './options/check-options.ts'
import { knownOptions } from './options/known-options.ts'
import { telemetryOf, type OpenedTelemetry } from './telemetry/telemetry-of.ts'

/** An agent's options with its data opened, and its card. */
export interface AgentSettings extends PlainOptions {
  readonly store: Store
  readonly secret: Secret
  readonly tenant: string
  readonly runtime: Runtime
  /** Reports on the agent, where they are read. */
  readonly reports?: OpenedTelemetry | undefined
  /** The part types that it understands of its peers, where it has some. */
  readonly consumes?: readonly string[] | undefined
  /** False when the author's `consumes` has no surfaces: those of peers are not shown then. */
  readonly surfaces?: boolean | undefined
}

/** Opens the data that the options name; what the options give besides comes before it. */
export async function settingsOf(options: BeachOptions) {
  checkAgent(options)
  checkOptions(options, knownOptions, 'createBeach')
  const given = plainOptions(options)
  checkOrigins(given.origins, 'access.origins')
  const card = cardIn(given)
  const secrets = new DeclaredSecrets([
    ...(given.redact ?? []),
    ...keysIn(given.encryption),
    ...secretsOfEnvironment(process.env),
  ])
  const plain = withInspectLinks(withoutSecrets(given.runtime ?? systemRuntime(), secrets), given)
  const reports = await telemetryOf(plain, given.agent, given.telemetry, isInspected(given))
  const runtime = reports === undefined ? plain : runtimeWith(plain, reports.members)
  if (given.encryption !== undefined && given.folder === undefined) throw wrong(notOurs)
  const opened = given.folder === undefined ? undefined : await openNamed(given.folder, given)
  const sealed = opened && encryptionOf(opened.store)
  const artifacts = given.artifacts && (sealed?.artifacts(given.artifacts) ?? given.artifacts)
  const own = { ...(artifacts && { artifacts }), runtime, reports, card, hosts: hostsOf(given) }
  const settings = { tenant: 'default', ...opened, ...given, ...own } as AgentSettings
  if (settings.store === undefined || settings.secret === undefined) {
    throw wrong("An agent needs a place for its data. Give createBeach `data`, such as '.beach' or 'memory'.")
  }
  return {
    settings,
    /** Closes those of the opened stores that the agent does not use, and so does not close itself. */
    closeUnused: async () => {
      if (opened === undefined) return
      if (settings.missives !== opened.missives) await closeMissives(opened)
      if (settings.artifacts !== opened.artifacts) await opened.artifacts.close?.()
      if (settings.store !== opened.store) await opened.store.close()
    },
    /** Closes all that was opened, for an agent that could not be made. */
    closeOpened: async () => {
      if (opened === undefined) return
      await closeMissives(opened)
      await opened.artifacts.close?.()
      await opened.store.close()
    },
  }
}

const notOurs =
  '`data.encryption` is for data that createBeach opens: give `data.folder`, or give openData() `encryption`.'

/** Says what is missing to callers whose programs are not type-checked. */
function checkAgent(options: Partial<BeachOptions> = {}): void {
  const { agent, actors, page = {} } = options
  if (typeof agent !== 'object' || typeof agent.id !== 'string' || agent.id === '' || typeof agent.name !== 'string') {
    throw wrong("An agent has a name. Give createBeach `agent`, such as { id: 'clerk', name: 'Clerk' }.")
  }
  if (typeof actors !== 'object' || Object.keys(actors).length === 0) {
    throw wrong('An agent needs an actor that answers. Give createBeach `actors`, such as { clerk: defineActor(…) }.')
  }
  if (page !== false && typeof page !== 'function' && (typeof page !== 'object' || page === null)) {
    throw wrong('`page` is a function that answers requests, an object with settings of the chat page, or false.')
  }
}

/** Opens a folder, or a store: `memory`, or one at an address. */
export async function openNamed(
  data: string,
  { agent, secret, encryption, runtime }: Pick<PlainOptions, 'agent' | 'secret' | 'encryption' | 'runtime'>,
): Promise<BeachData> {
  const about = { secret, encryption, runtime }
  if (data === 'memory' || /^(?:\w+:\/\/|postgres(?:ql)?:)/.test(data))
    return openData({ store: data, agent: agent.id, ...about })
  return openData({ folder: data, ...about })
}

/** An agent that says what it does has a card. */
function cardIn({ agent, card }: PlainOptions): BeachCard | undefined {
  const { description, capabilities = [], schemaVersion = '1.0', version = '1.0.0' } = agent
  if (card !== undefined) return card
  if (description !== undefined) return { ...defined(agent), description, capabilities, schemaVersion, version }
  if (agent.capabilities === undefined) return undefined
  throw wrong('An agent with capabilities has a card, which needs a description. Give `agent.description`.')
}

/** The names that callers use: that of the public address, and others. */
function hostsOf({ publicUrl = '', hosts = [] }: PlainOptions): readonly string[] {
  return URL.canParse(publicUrl) ? [...new Set([new URL(publicUrl).hostname, ...hosts])] : hosts
}

async function closeMissives({ missives }: BeachData): Promise<void> {
  await missives.store.close()
  await missives.identities.close()
}

function wrong(message: string): BeachError {
  return new BeachError('INVALID_CONFIGURATION', message)
}
