import { findMessages, kindsIn, type A2uiMessage, type A2uiVersion, type FoundMessage } from '../messages.ts'
import { isPlainObject, own } from '../plain.ts'
import { problemText } from '../validate/problems.ts'
import { validateA2ui, type A2uiValidateOptions } from '../validate/validate-a2ui.ts'
import { surfaceToText } from '../readable/surface-to-text.ts'

/** An `a2ui-surface` part, in its wire form or as it is written by hand. */
export interface SurfacePart {
  readonly partType?: string
  /** The part’s place in the log: the same part given twice is shown once. */
  readonly partId?: string
  /** Messages of A2UI: one, a list, `{ messages }`, or several combined in one object. */
  readonly data?: unknown
  /** What to show when the surface’s catalog is not known; made from the data if absent. */
  readonly text?: string
  readonly metadata?: { readonly partType?: string; readonly slotKey?: string; readonly [key: string]: unknown }
}

interface Problem {
  readonly surfaceId: string | undefined
  readonly path: string
  readonly problem: string
}

export interface ReadPart {
  readonly messages: readonly A2uiMessage[]
  readonly problems: readonly Problem[]
  readonly slotKey: string | undefined
  readonly partId: string | undefined
  readonly text: () => string
}

/** Reads a part. A surface that the part creates is taken whole or not at all; later messages are taken one by one. */
export function readSurfacePart(part: SurfacePart, options: A2uiValidateOptions): ReadPart {
  const { data, metadata, partId, text }: SurfacePart = part
  const found = findMessages(data)
  const { problems } = validateA2ui(data, options)
  const wrong = new Set(problems.flatMap(({ path }) => messagesAt(found, path)))
  const broken = new Set([...wrong].flatMap(surfaceIdsIn))
  const created = new Set(found.flatMap(({ given }) => (isCreation(given) ? surfaceIdsIn({ given }) : [])))
  const right = found.filter((message) => {
    if (wrong.has(message)) return false
    return !surfaceIdsIn(message).some((id) => broken.has(id) && created.has(id))
  })
  return {
    messages: right.flatMap(({ given }) => messagesIn(given)),
    problems: problems.map((problem) => ({
      surfaceId: messagesAt(found, problem.path).flatMap(surfaceIdsIn)[0],
      path: problem.path === '' ? '/' : problem.path,
      problem: problemText(problem),
    })),
    slotKey: metadata?.slotKey,
    partId,
    text: () => text ?? surfaceToText(data, options),
  }
}

/** The messages that a place in the data belongs to: one of them, or all when it is a place around them. */
function messagesAt(found: readonly FoundMessage[], place: string): readonly FoundMessage[] {
  const inside = found.filter(({ path }) => place === path || place.startsWith(`${path}/`))
  return inside.length === 0 ? found : inside
}

export function surfaceIdsIn({ given }: Pick<FoundMessage, 'given'>): string[] {
  if (!isPlainObject(given)) return []
  return kindsIn(given).flatMap((kind) => {
    const body = own(given, kind)
    return isPlainObject(body) && typeof body.surfaceId === 'string' ? [body.surfaceId] : []
  })
}

function isCreation(given: unknown): boolean {
  return isPlainObject(given) && Object.hasOwn(given, 'createSurface')
}

/** A message, or those that were combined in one object. They have been found to be right. */
function messagesIn(given: unknown): A2uiMessage[] {
  if (!isPlainObject(given)) return []
  const version = given.version as A2uiVersion
  return kindsIn(given).map((kind) => ({ version, [kind]: given[kind] }) as unknown as A2uiMessage)
}
