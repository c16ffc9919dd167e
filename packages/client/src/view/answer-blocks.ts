import type { StreamPart } from '@cool-ai/beach-protocol/stream'
import { fields, text } from './fields.ts'
import { peerOf } from './peers.ts'
import { converged } from './slots.ts'
import { isShownSurface } from './surface-parts.ts'

/** One thing in an answer, as it is shown. */
export type AnswerBlock =
  | { readonly kind: 'text'; readonly key: string; readonly part: StreamPart }
  | { readonly kind: 'thinking'; readonly key: string; readonly parts: readonly StreamPart[] }
  | { readonly kind: 'peer'; readonly key: string; readonly peer: string; readonly parts: readonly StreamPart[] }
  | { readonly kind: 'progress'; readonly key: string; readonly part: StreamPart }
  | { readonly kind: 'data'; readonly key: string; readonly part: StreamPart }
  | { readonly kind: 'surface'; readonly key: string; readonly part: StreamPart }
  | { readonly kind: 'approval'; readonly key: string; readonly part: StreamPart }
  | { readonly kind: 'artifacts'; readonly key: string; readonly parts: readonly StreamPart[] }

const notShown: ReadonlySet<string> = new Set(['citation', 'llm-context', 'reasoning-trace', 'setState'])

/** Whether a part is said to others than people, or shown elsewhere: citations are footnotes, flows have a client of their own. */
export function isElsewhere(partType: string): boolean {
  return notShown.has(partType) || partType.startsWith('intentflow.')
}

const words: ReadonlySet<string> = new Set(['ack', 'thinking', 'response', 'clarify', 'error'])

/** The other agent whose words a part has; what stands under the agent's own name is its own. */
function speakerOf(part: StreamPart): string | undefined {
  return words.has(part.partType) ? peerOf(part) : undefined
}

/** What the page adds to this one, as far as it matters here. */
export interface AddedForms {
  readonly forms?: Readonly<Record<string, unknown>>
  readonly isHidden?: (part: StreamPart) => boolean
}

/** What an answer shows, in the order in which it was said; what belongs together stands together. */
export function answerBlocks(
  said: readonly StreamPart[],
  running: boolean,
  { forms = {}, isHidden }: AddedForms = {},
): readonly AnswerBlock[] {
  const isDoubled = doubles(said, forms)
  const blocks: AnswerBlock[] = []
  const latest = latestProgress(said)
  const started = new Set<string>()
  for (const part of converged(said)) {
    const { partType, partId: key } = part
    const last = blocks.at(-1)
    if (isElsewhere(partType) || isDoubled(part) || isHidden?.(part) === true) continue
    const peer = speakerOf(part)
    if (peer !== undefined) {
      if (last?.kind === 'peer' && last.peer === peer) blocks.splice(-1, 1, { ...last, parts: [...last.parts, part] })
      else blocks.push({ kind: 'peer', key, peer, parts: [part] })
      continue
    }
    switch (partType) {
      case 'thinking':
        if (last?.kind === 'thinking') blocks.splice(-1, 1, { ...last, parts: [...last.parts, part] })
        else blocks.push({ kind: 'thinking', key, parts: [part] })
        break
      case 'artifact':
        if (last?.kind === 'artifacts') blocks.splice(-1, 1, { ...last, parts: [...last.parts, part] })
        else blocks.push({ kind: 'artifacts', key, parts: [part] })
        break
      case 'progress': {
        // A bar stays where it began, shows how far things are now, and goes when the answer is there.
        const name = progressKey(part)
        if (running && !started.has(name)) blocks.push({ kind: 'progress', key, part: latest.get(name) ?? part })
        started.add(name)
        break
      }
      case 'a2ui-surface':
        blocks.push({ kind: 'surface', key, part })
        break
      case 'approval-request':
        blocks.push({ kind: 'approval', key, part })
        break
      default:
        blocks.push({ kind: part.text === undefined ? 'data' : 'text', key, part })
    }
  }
  return blocks
}

/**
 * Finds what would be shown twice: data that a surface shows too, and surfaces of data that has a form here. Of another
 * agent the surface is shown: its buttons lead to that agent, and a form here has none for it.
 */
function doubles(said: readonly StreamPart[], forms: Readonly<Record<string, unknown>>): (part: StreamPart) => boolean {
  const surfaces = said.filter(isShownSurface)
  const shown = new Set(surfaces.map(({ metadata }) => metadata.slotKey))
  const formed = new Set(said.filter(hasForm).flatMap(({ metadata }) => metadata.slotKey ?? []))
  return (part) => {
    const { slotKey } = part.metadata
    if (part.partType === 'domain-data') return !hasForm(part) && shown.has(slotKey)
    if (part.partType !== 'a2ui-surface') return false
    return !isShownSurface(part) || (slotKey !== undefined && formed.has(slotKey))
  }

  function hasForm(part: StreamPart): boolean {
    const { partType, metadata } = part
    if (partType !== 'domain-data' || metadata.kind === undefined || !Object.hasOwn(forms, metadata.kind)) return false
    return peerOf(part) === undefined || !surfaces.some((surface) => isOfSame(surface, part))
  }
}

function isOfSame(surface: StreamPart, data: StreamPart): boolean {
  const { slotKey } = data.metadata
  return slotKey !== undefined && surface.metadata.slotKey === slotKey && peerOf(surface) === peerOf(data)
}

function latestProgress(parts: readonly StreamPart[]): ReadonlyMap<string, StreamPart> {
  return new Map(parts.filter(({ partType }) => partType === 'progress').map((part) => [progressKey(part), part]))
}

function progressKey({ data, metadata }: StreamPart): string {
  return metadata.slotKey ?? text(fields(data).label) ?? ''
}
