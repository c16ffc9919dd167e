import type { CitedSource } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import { citationSchema } from '@cool-ai/beach-protocol'
import { isObject } from '@cool-ai/beach-protocol/json-schema'
import type { AnyTool } from '../tools/tool.ts'

type Authored = Readonly<Record<string, unknown>>

const maxNamed = 20

/** The sources that tools have found in a turn: an answer cites them by their ids, so that no model writes them itself. */
export class CitedSources {
  readonly #sources = new Map<string, CitedSource>()

  /** Takes the sources of a result. What cannot be a citation, such as one of a link that is none, keeps its title alone. */
  found({ citations }: Pick<AnyTool, 'citations'>, result: unknown): void {
    for (const [id, source] of Object.entries(sourcesIn(citations, result))) {
      const whole = defined({ ...source })
      const isValid = citationSchema.safeParse({ path: '', ...whole }).success
      this.#sources.set(id, isValid ? whole : { title: source.title })
    }
  }

  /** A citation part with the source that it names filled in, or why there is none. Other parts stay as they are. */
  filledIn(part: Authored): { readonly part: Authored } | { readonly problem: string } {
    const { data } = part
    if (!isObject(data) || typeof data.source !== 'string') return { part }
    const source = this.#sources.get(data.source)
    if (source === undefined) return { problem: this.#unknown(data.source) }
    return { part: { ...part, data: { path: typeof data.path === 'string' ? data.path : '', ...source } } }
  }

  #unknown(id: string): string {
    const known = [...this.#sources.keys()].slice(-maxNamed).join(', ') || 'none'
    return `No tool has found a source '${id}' in this turn. Found are: ${known}. Name one of them, or leave the citation out.`
  }
}

/** A function that fails, such as on a result that was cut, names no sources. */
function sourcesIn(citations: AnyTool['citations'], result: unknown) {
  try {
    return citations?.(result) ?? {}
  } catch {
    return {}
  }
}
