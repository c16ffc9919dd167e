import { nearest } from '@cool-ai/beach-core/runtime'
import type { z } from 'zod'
import { evaluationJsonSchema, type SchemaNode } from './json-schema.ts'

type Issue = z.core.$ZodIssue
type Path = readonly PropertyKey[]

/** Something that is wrong with an evaluation, and where. */
export interface FormatProblem {
  readonly path: Path
  /** The key that is wrong, where it is not its value. */
  readonly key?: string | undefined
  readonly message: string
}

/** What zod has found, in sentences. */
export function formatProblems(issues: readonly Issue[], path: Path = []): FormatProblem[] {
  return issues.flatMap((issue): FormatProblem[] => {
    const at = [...path, ...issue.path]
    if (issue.code === 'invalid_union') return formatProblems(bestBranch(issue.errors), at)
    if (issue.code !== 'unrecognized_keys') return [{ path: at, message: issue.message }]
    return issue.keys.map((key) => {
      const known = keysAt(evaluationJsonSchema(), at)
      const near = nearest(key, known)
      const advice = near === undefined ? `There are: ${known.join(', ')}` : `Did you mean '${near}'?`
      return { path: at, key, message: `'${key}' is not known here. ${advice}` }
    })
  })
}

/** Such as `turns.0.expect.staet: 'staet' is not known here. Did you mean 'state'?` */
export function sentenceOf({ path, key, message }: FormatProblem): string {
  const place = [...path, ...(key === undefined ? [] : [key])].map(String).join('.')
  return `${place === '' ? '' : `${place}: `}${message}${/[.?]$/.test(message) ? '' : '.'}`
}

/** The branch of a union that the value was most likely meant for: the one that at least has its kind. */
function bestBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] {
  const isOfKind = (branch: readonly Issue[]) =>
    !branch.some(({ code, path }) => path.length === 0 && (code === 'invalid_type' || code === 'invalid_value'))
  return (
    branches.find(isOfKind) ?? [
      {
        code: 'custom',
        path: [],
        input: undefined,
        message: branches.map((branch) => branch[0]?.message).join('; or: '),
      },
    ]
  )
}

/** The members that an object may have at a path. */
function keysAt(schema: SchemaNode, path: Path): string[] {
  const [next, ...rest] = path
  const branches = [schema, ...(schema.anyOf ?? []), ...(schema.allOf ?? [])]
  if (next === undefined) return [...new Set(branches.flatMap(({ properties }) => Object.keys(properties ?? {})))]
  return branches.flatMap((branch) => {
    const inside =
      typeof next === 'number' ? branch.items : (branch.properties?.[String(next)] ?? branch.additionalProperties)
    const deeper = branch === schema ? [] : keysAt({ anyOf: branch.anyOf ?? [] }, path)
    return [...(typeof inside === 'object' ? keysAt(inside, rest) : []), ...deeper]
  })
}
