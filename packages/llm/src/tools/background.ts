import { BeachError, type ManifestPlan, type Runtime, type Work } from '@cool-ai/beach-core'
import { contentHash, defined } from '@cool-ai/beach-core/runtime'
import { runTool } from './run-tool.ts'
import type { BackgroundRule } from './tool.ts'
import type { RegisteredTool } from './tool-registry.ts'

/** What the model is told instead of a result. */
export const begun =
  'It has started and runs in the background. You will get its result later; do not call it again for this.'

export function isBackground({ definition }: RegisteredTool): boolean {
  return definition.background !== undefined && definition.background !== false
}

/** A manifest with one slot: this call. */
export function backgroundPlan({ definition }: RegisteredTool, args: unknown, input: unknown): ManifestPlan {
  const { name, background } = definition
  const rule: BackgroundRule = typeof background === 'object' ? background : {}
  const { slotKey = `${name}-${contentHash(args).slice(0, 8)}`, mergeStrategy, kind, deadlineMs } = rule
  return {
    name,
    slots: {
      [name]: {
        work: name,
        args,
        slotKey: typeof slotKey === 'function' ? slotKey(input) : slotKey,
        ...defined({ mergeStrategy, kind }),
      },
    },
    ...defined({ deadlineMs }),
  }
}

/** The background tools of an actor as works, which another process can go on with. */
export function backgroundWorks(tools: Iterable<RegisteredTool>, runtime: Runtime): Readonly<Record<string, Work>> {
  const works = [...tools].filter(isBackground).map((tool): [string, Work] => [
    tool.definition.name,
    {
      idempotent: tool.definition.idempotent === true,
      resultOrigin: tool.definition.resultOrigin,
      async run(args, { key, signal, view, emit, origins = [] }) {
        const checked = tool.input.check(args)
        if ('problems' in checked) throw new BeachError('INTERNAL', 'The arguments no longer fit the tool.')
        return runTool(tool, checked.value, { key, signal, session: view, emit, origins }, runtime)
      },
    },
  ])
  return Object.fromEntries(works)
}
