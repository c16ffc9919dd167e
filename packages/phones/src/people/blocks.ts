import type { Envelope, Part, PartTypeRegistry } from '@cool-ai/beach-core'
import { clarifyOptions } from '@cool-ai/beach-core/registries'
import {
  artifactName,
  artifactSchema,
  askedApproval,
  type ArtifactReference,
  type AskedApproval,
} from '@cool-ai/beach-protocol'
import { visibleText } from '@cool-ai/beach-protocol/visible-text'

/** What a person's phone shows: text, a question with answers to choose from, a request to decide on, a file. */
export type Block =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'choice'; readonly text: string; readonly options: readonly string[] }
  | { readonly kind: 'ask'; readonly asked: AskedApproval }
  | { readonly kind: 'file'; readonly file: ArtifactReference }

/** What people are shown of a file's name; our ids say nothing to them. */
function nameOf(file: ArtifactReference): string {
  return file.name ?? (file.artifactId === undefined ? artifactName(file) : 'File')
}

/** An envelope as blocks, with neighbouring texts joined. */
export function blocksOf({ parts }: Envelope, partTypes: Pick<PartTypeRegistry, 'get'>): Block[] {
  const blocks: Block[] = []
  for (const block of parts.flatMap((part) => blockOf(part, partTypes) ?? [])) {
    const last = blocks.at(-1)
    if (block.kind === 'text' && last?.kind === 'text') {
      blocks[blocks.length - 1] = { kind: 'text', text: `${last.text}\n\n${block.text}` }
    } else blocks.push(block)
  }
  return blocks
}

function blockOf(part: Part, partTypes: Pick<PartTypeRegistry, 'get'>): Block | undefined {
  const { partType } = part.metadata
  if (partType === 'approval-request') {
    const asked = askedApproval(part)
    return asked && { kind: 'ask', asked }
  }
  if (partType === 'artifact') {
    const file = artifactSchema.safeParse(part.data).data
    return file && { kind: 'file', file: { ...file, name: visibleText(nameOf(file)) } }
  }
  const options = partType === 'clarify' ? clarifyOptions(part) : []
  if (options.length > 0 && part.text !== undefined) return { kind: 'choice', text: part.text.trim(), options }
  const text = (partTypes.get(partType)?.toText?.(part) ?? part.text ?? '').trim()
  return text === '' ? undefined : { kind: 'text', text }
}
