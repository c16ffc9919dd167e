import type { Part } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import { isObject } from '@cool-ai/beach-protocol/json-schema'
import type { Understood } from './caller.ts'

/**
 * What a part that came by A2A remembers of its message, under `metadata.a2a`: also what the caller understands, so that
 * it need not be said again when it asks for the task.
 */
export interface A2aMark extends Understood {
  readonly messageId: string
  /** The caller's own name for the context, where it has one. */
  readonly contextId?: string
  /** The task that the message goes on with; absent when it begins one. */
  readonly taskId?: string
  /** The media types that the caller takes, with the first part of a message that says so. */
  readonly outputModes?: readonly string[]
  /** The type that the caller gave the part, where it is not the one that it has here. */
  readonly partType?: string
  readonly sent?: SentForm
}

/** How a part was sent, as far as its form here does not show it. */
export interface SentForm {
  /** What its data was: the bytes of a file, or a link to one. */
  readonly content?: 'raw' | 'url' | undefined
  readonly mediaType?: string | undefined
  readonly filename?: string | undefined
  /** The type that it named, where that is the one that every part has without one. */
  readonly partType?: 'message' | undefined
  /** The metadata of a part that was an action by its media type. */
  readonly action?: { readonly mimeType?: string } | undefined
}

/** Reads the mark of a part; metadata can be anything, since people may write it too. */
export function markOf({ metadata }: Part): A2aMark | undefined {
  const { a2a } = metadata
  if (typeof a2a !== 'object' || a2a === null) return undefined
  const { messageId, contextId, taskId, partType, sent } = a2a as Record<string, unknown>
  const { consumes, catalogs, llmContextLanguage, outputModes } = a2a as Record<string, unknown>
  if (typeof messageId !== 'string') return undefined
  return defined({
    messageId,
    contextId: textIn(contextId),
    taskId: textIn(taskId),
    consumes: textsIn(consumes),
    catalogs: textsIn(catalogs),
    llmContextLanguage: textIn(llmContextLanguage),
    outputModes: textsIn(outputModes),
    partType: textIn(partType),
    sent: isObject(sent) ? sentForm(sent) : undefined,
  })
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function textsIn(values: unknown): string[] | undefined {
  return Array.isArray(values) ? values.filter((value) => typeof value === 'string') : undefined
}

/** The parts of a message, the first of which remembers what its caller takes. */
export function withOutputModes(parts: readonly Part[], outputModes: readonly string[]): readonly Part[] {
  const [first, ...rest] = parts
  if (first === undefined || outputModes.length === 0) return parts
  const a2a = { ...(first.metadata.a2a as A2aMark), outputModes }
  return [{ ...first, metadata: { ...first.metadata, a2a } }, ...rest]
}

/** As much of it as is right: a part that came by another channel may say anything. */
function sentForm({ content, mediaType, filename, partType, action }: Readonly<Record<string, unknown>>): SentForm {
  const { mimeType } = isObject(action) ? action : {}
  return defined<SentForm>({
    content: content === 'raw' || content === 'url' ? content : undefined,
    mediaType: textIn(mediaType),
    filename: textIn(filename),
    partType: partType === 'message' ? partType : undefined,
    action: isObject(action) ? defined({ mimeType: textIn(mimeType) }) : undefined,
  })
}
