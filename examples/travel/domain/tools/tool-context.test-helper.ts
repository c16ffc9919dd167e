import { SimulatedClock, type Artifact, type ArtifactStore, type AuthoredPart, type Part } from '@cool-ai/beach-core'
import { ToolRegistry, type ToolContext } from '@cool-ai/beach-llm'
import { parsePart } from '@cool-ai/beach-protocol'
import { MemoryBasketStore } from '../memory-basket-store.ts'
import { travelTools } from './travel-tools.ts'

/** Artifacts in a map. */
class FakeArtifacts implements ArtifactStore {
  readonly kept: { readonly artifact: Artifact; readonly text: string }[] = []

  put: ArtifactStore['put'] = async (content, about) => {
    if (!(content instanceof Uint8Array)) throw new Error('Streams are not for this fake.')
    const artifactId = `art_${this.kept.length + 1}`
    const artifact = { ...about, artifactId, sizeBytes: content.byteLength, sha256: '', createdAt: 0 }
    this.kept.push({ artifact, text: new TextDecoder().decode(content) })
    return artifact
  }

  get: ArtifactStore['get'] = async () => undefined
  delete: ArtifactStore['delete'] = async () => false
  list: ArtifactStore['list'] = async () => ({ items: [] })
}

/** The tools as an actor's loop calls them: arguments are checked before, results after, and parts on their way out. */
export function toolContext(options: { sectionMs?: number } = {}) {
  const artifacts = new FakeArtifacts()
  const clock = new SimulatedClock(Date.UTC(2026, 3, 20, 9, 50))
  const tools = travelTools({ baskets: new MemoryBasketStore(), artifacts, tenant: 'acme', clock, ...options })
  const registry = new ToolRegistry(tools)
  const emitted: Part[][] = []
  const context: ToolContext = {
    key: 'sess_one:turn_a.tool0-0',
    signal: new AbortController().signal,
    session: {
      sessionId: 'sess_one',
      head: 1,
      epoch: 1,
      waiting: 0,
      coordinates: {},
      originators: [],
      manifests: [],
      inFlight: [],
      deadLetters: [],
      allowances: [],
    },
    emit: async (parts: readonly AuthoredPart[]) => void emitted.push(parts.map((part) => parsePart(part))),
  }
  async function call(name: string, input: unknown, changes: Partial<ToolContext> = {}): Promise<unknown> {
    const tool = registry.get(name)
    if (tool === undefined) throw new Error(`There is no tool ${name}.`)
    const checked = tool.input.check(input)
    if ('problems' in checked) throw new Error(checked.problems.join('; '))
    const value: unknown = await tool.definition.handler(checked.value, { ...context, ...changes })
    const result = tool.output?.check(value)
    if (result === undefined || 'problems' in result) throw new Error(`Wrong result: ${JSON.stringify(result)}`)
    return value
  }
  return { call, context, registry, emitted, artifacts, clock }
}
