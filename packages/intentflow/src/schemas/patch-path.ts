import { forbiddenKeys } from './json-problem.ts'

/** One step of a path: the name of a member, or the index of an item. */
export type PathStep = string | number

const step = /\.?([\p{L}_$][\p{L}\p{N}_$-]*)|\[(0|[1-9]\d{0,8})\]|\[("(?:[^"\\]|\\.)*")\]|\.(\d+)/uy

/**
 * The steps of a path such as `items[0].quantity`; names that are no words are quoted: `sizes["extra large"]`. A JSON
 * Pointer is taken too: all its steps are names, and what it leads through says which of them are indexes. Undefined if
 * it is neither.
 */
export function parsePath(path: string): PathStep[] | undefined {
  return path.startsWith('/') ? pointerTokens(path) : bracketSteps(path)
}

function bracketSteps(path: string): PathStep[] | undefined {
  const steps: PathStep[] = []
  let at = 0
  while (at < path.length) {
    step.lastIndex = at
    const match = step.exec(path)
    // A word follows a dot, except at the start; a bracket never does.
    if (match === null || (match[1] !== undefined && (at === 0) === match[0].startsWith('.'))) return undefined
    const read = stepOf(match)
    if (read === undefined) return undefined
    steps.push(read)
    at += match[0].length
  }
  return steps
}

function stepOf([, word, index, quoted, digits]: RegExpExecArray): PathStep | undefined {
  if (index !== undefined) return Number(index)
  if (quoted === undefined) return word ?? digits
  try {
    return JSON.parse(quoted) as string
  } catch {
    return undefined
  }
}

export function formatPath(steps: readonly PathStep[]): string {
  return steps.map((each, index) => formatStep(each, index === 0)).join('')
}

function formatStep(each: PathStep, first: boolean): string {
  if (typeof each === 'number') return `[${each}]`
  if (!/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(each)) return `[${JSON.stringify(each)}]`
  return first ? each : `.${each}`
}

export function pathProblem(path: string): string | undefined {
  const steps = parsePath(path)
  if (steps === undefined || steps.length === 0) return 'is no path such as items[0].quantity, and no JSON Pointer'
  const forbidden = steps.find((each) => typeof each === 'string' && forbiddenKeys.has(each))
  return forbidden === undefined ? undefined : `leads through "${forbidden}", which is not allowed`
}

const syntax = /^(?:\/(?:[^~/]|~[01])*)*$/

/** The tokens of a JSON Pointer (RFC 6901); undefined if it is none. Here so that pages need not load all of the protocol. */
function pointerTokens(pointer: string): string[] | undefined {
  if (!syntax.test(pointer)) return undefined
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** The pointer to a member of what `pointer` leads to. */
export function pointerTo(pointer: string, key: string): string {
  return `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
}
