import { readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { BeachError } from '@cool-ai/beach-core'
import type { EventHandlers, FlowWatch } from '../definition/event-handlers.ts'
import type { Flow, FlowConversation } from '../definition/flow.ts'
import type { Hydrator } from '../definition/hydrator.ts'
import type { Intent } from '../definition/intent.ts'
import { createRegistry, type FlowBundle, type FlowRegistry } from '../registry/flow-registry.ts'

/** What a module may export; everything else it exports is left alone. */
type Exported = Flow | Intent | Hydrator | EventHandlers | FlowConversation

const kinds: ReadonlySet<unknown> = new Set(['flow', 'intent', 'hydrator', 'handlers', 'conversation'])

/**
 * A registry of everything that the modules below a folder export, by whatever name: flows, intents, hydrators, handlers
 * and conversations; a `watch` goes with the only flow of its module.
 */
export async function discoverFlows(folder: string): Promise<FlowRegistry> {
  const names = await readdir(resolve(folder), { recursive: true }).catch((error: unknown) => {
    throw new BeachError('INVALID_CONFIGURATION', `The folder of flows “${folder}” cannot be read.`, { cause: error })
  })
  const found: Exported[] = []
  const watches: Record<string, FlowWatch> = {}
  for (const name of names.filter(isModule).toSorted()) {
    const exported = (await import(pathToFileURL(join(resolve(folder), name)).href)) as Record<string, unknown>
    const tagged = Object.values(exported).filter(isTagged)
    found.push(...tagged.filter((one) => !found.includes(one)))
    const { watch } = exported
    if (typeof watch !== 'function') continue
    const flows = tagged.filter(({ kind }) => kind === 'flow')
    const [only] = flows
    if (only === undefined || flows.length > 1) {
      throw new BeachError('INVALID_CONFIGURATION', `${name} exports a watch, and not exactly one flow that it is for.`)
    }
    watches[only.intentId] = watch as FlowWatch
  }
  return createRegistry(bundleOf(found, watches))
}

/** True for sources; what is installed, hidden or a test is left alone. */
function isModule(name: string): boolean {
  if (/(?:^|[\\/])(?:node_modules|\.)/.test(name)) return false
  return /\.(?:ts|js|mjs)$/.test(name) && !/\.d\.ts$|\.test\.|\.test-/.test(name)
}

function isTagged(value: unknown): value is Exported {
  if (typeof value !== 'object' || value === null || !('kind' in value) || !('intentId' in value)) return false
  return kinds.has(value.kind)
}

function bundleOf(found: readonly Exported[], watches: Readonly<Record<string, FlowWatch>>): FlowBundle {
  const of = <Kind extends Exported['kind']>(kind: Kind) => {
    return found.filter((one): one is Extract<Exported, { kind: Kind }> => one.kind === kind)
  }
  return {
    flows: of('flow'),
    intents: of('intent'),
    hydrators: of('hydrator'),
    handlers: of('handlers'),
    conversations: of('conversation'),
    watches,
  }
}
