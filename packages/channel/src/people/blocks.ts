import type { Envelope, PartTypeRegistry } from '@cool-ai/beach-core'
import { clarifyOptions, type Choice } from '@cool-ai/beach-core/registries'
import {
  artifactName,
  artifactSchema,
  askedApproval,
  type ArtifactReference,
  type AskedApproval,
} from '@cool-ai/beach-protocol'
import { visibleText } from '@cool-ai/beach-protocol/visible-text'
import { offeredIn, type Offered } from './choices.ts'

/** Things, buttons and answers to choose from, each with its number. */
export interface NumberedChoice {
  readonly number: number
  readonly choice: Choice
}

/** What a person is shown on a phone or in a work chat: text, things to choose from, a question with answers, a request to decide on, a file. */
export type Block =
  | { readonly kind: 'text'; readonly text: string }
  /** The text has the choices, each with its number. */
  | {
      readonly kind: 'list'
      readonly text: string
      readonly choices: readonly NumberedChoice[]
      /** The texts before it, with which its own begins. */
      readonly introduction?: string
    }
  | {
      readonly kind: 'choice'
      readonly text: string
      readonly options: readonly string[]
      /** The number of the first option; the others follow. */
      readonly firstNumber: number
      /** The text with the options, each with its number. */
      readonly numbered: string
    }
  | { readonly kind: 'ask'; readonly asked: AskedApproval }
  | { readonly kind: 'file'; readonly file: ArtifactReference }

/** An envelope as blocks, and what can be chosen in it. */
export interface BlocksOf {
  readonly blocks: readonly Block[]
  readonly choices: readonly Choice[]
  /** True when it asks something: then a number answers that, and nothing that was listed before. */
  readonly isAsking: boolean
}

/** What people are shown of a file's name; our ids say nothing to them. */
function nameOf(file: ArtifactReference): string {
  return file.name ?? (file.artifactId === undefined ? artifactName(file) : 'File')
}

/** An envelope as blocks, with neighbouring texts joined: those before a list are its introduction. */
export function blocksOf({ parts }: Envelope, partTypes: Pick<PartTypeRegistry, 'get'>): BlocksOf {
  const { shown, choices } = offeredIn(parts, partTypes)
  const blocks: Block[] = []
  for (const block of shown.flatMap((part) => blockOf(part, choices, partTypes) ?? [])) {
    const last = blocks.at(-1)
    if (last?.kind === 'text' && (block.kind === 'text' || block.kind === 'list')) {
      const joined = { ...block, text: `${last.text}\n\n${block.text}` }
      blocks[blocks.length - 1] = joined.kind === 'list' ? { ...joined, introduction: last.text } : joined
    } else blocks.push(block)
  }
  return { blocks, choices, isAsking: parts.some(({ metadata }) => metadata.partType === 'clarify') }
}

function blockOf(
  { part, firstNumber }: Offered['shown'][number],
  choices: readonly Choice[],
  partTypes: Pick<PartTypeRegistry, 'get'>,
): Block | undefined {
  const { partType } = part.metadata
  if (partType === 'approval-request') {
    const asked = askedApproval(part)
    return asked && { kind: 'ask', asked }
  }
  if (partType === 'artifact') {
    const file = artifactSchema.safeParse(part.data).data
    return file && { kind: 'file', file: { ...file, name: visibleText(nameOf(file)) } }
  }
  const entry = partTypes.get(partType)
  const form = firstNumber === undefined ? undefined : { firstNumber }
  const text = (entry?.toText?.(part, form) ?? part.text ?? '').trim()
  const options = partType === 'clarify' ? clarifyOptions(part) : []
  if (options.length > 0 && part.text !== undefined) {
    return { kind: 'choice', text: part.text.trim(), options, firstNumber: firstNumber ?? 1, numbered: text }
  }
  if (text === '') return undefined
  if (form === undefined) return { kind: 'text', text }
  const own = choices.slice(form.firstNumber - 1, form.firstNumber - 1 + (entry?.choices?.(part) ?? []).length)
  return { kind: 'list', text, choices: own.map((choice, index) => ({ number: form.firstNumber + index, choice })) }
}
