import {
  type AskPut,
  type Block,
  type FileReader,
  namedFile,
  oneLine,
  shortened,
  splitText,
} from '@cool-ai/beach-channel/people'
import type { Clock } from '@cool-ai/beach-core'
import { approvalQuestion, type ArtifactReference } from '@cool-ai/beach-protocol'
import { noMarks, phoneText } from '../people/phone-markdown.ts'
import { askOf, type Saying } from '../people/phone-sender.ts'
import { smsLimits, type SmsChannelOptions } from './options.ts'
import { fitSegments, plainShapes, segmentsOf } from './segments.ts'

/** What messages are made with. */
export interface SayingsContext {
  readonly clock: Clock
  readonly channel: Pick<
    SmsChannelOptions,
    'artifactLink' | 'maxSegments' | 'mostSegments' | 'mayDecide' | 'codeValidMs'
  >
  /** The code by which a request is answered. */
  readonly codeOf: (put: AskPut) => string
  /** A link to a text that is too long to be sent; undefined when there is none. */
  readonly linkTo: (text: string) => Promise<string | undefined>
}

type AskBlock = Extract<Block, { kind: 'ask' }>

const pickHint = 'Reply with a number to choose.'
const elsewhere = 'This cannot be decided by SMS. Please decide it in the conversation where it came up.'

/** An envelope's blocks as messages: text first, and then requests. */
export async function sayingsOf(
  blocks: readonly Block[],
  reader: FileReader,
  context: SayingsContext,
): Promise<readonly Saying<string>[]> {
  const asks = blocks.filter((block) => block.kind === 'ask')
  const asked = await Promise.all(asks.map((block) => askSayings(block, reader, context)))
  return [...(await words(blocks, reader, context)), ...asked.flat()]
}

/** Everything but requests, as one message; a long one is shortened and linked where it can be, and otherwise split. */
async function words(
  blocks: readonly Block[],
  reader: FileReader,
  { channel, linkTo }: SayingsContext,
): Promise<readonly Saying<string>[]> {
  const lines: string[] = []
  const files: string[] = []
  for (const block of blocks) {
    if (block.kind === 'file') files.push(await namedFile(channel, block.file, shownName(block.file), reader))
    else if (block.kind !== 'ask') lines.push(wordsOf(block))
  }
  const text = plainShapes(lines.join('\n\n'))
  const hint = blocks.some(({ kind }) => kind === 'list' || kind === 'choice') ? pickHint : ''
  const all = [[text, hint].filter((line) => line !== '').join('\n\n'), ...files]
    .filter((line) => line !== '')
    .join('\n')
  const max = channel.maxSegments ?? channel.mostSegments ?? smsLimits.maxSegments
  if (segmentsOf(all).segments <= max) return pieces(all)
  const link = await linkTo(lines.join('\n\n'))
  if (link === undefined) return pieces(all)
  // Of a list whole lines are left out, so that what is there can be chosen.
  const kept = plainShapes((hint === '' ? lines : essential(blocks)).join('\n\n'))
  const [after, unit] =
    hint === '' ? [`... All of it: ${link}`, 'word' as const] : [`\nAll of it: ${link}\n${hint}`, 'line' as const]
  return [{ content: fitSegments(kept, after, max, unit) }, ...pieces(files.join('\n'))]
}

/** What an answer to a choice needs: what is said first, and the lists. The rest is behind the link. */
function essential(blocks: readonly Block[]): readonly string[] {
  return blocks.flatMap((block, index) => {
    if (block.kind !== 'list')
      return block.kind === 'choice' || (block.kind === 'text' && index === 0) ? wordsOf(block) : []
    const { introduction = '', text } = block
    const [first = ''] = index === 0 ? introduction.split('\n\n') : []
    const list = text.slice(introduction.length).trim()
    return [first, list].filter((said) => said !== '').map((said) => phoneText(said, noMarks))
  })
}

/** A request with its code, in as many messages as it takes: a decision is always on all of it. */
async function askSayings(
  block: AskBlock,
  reader: FileReader,
  context: SayingsContext,
): Promise<readonly Saying<string>[]> {
  const { asked } = block
  const { request, isAdmin, risk } = asked
  const question = plainShapes(approvalQuestion(asked))
  const isAllowed = !isAdmin && risk !== 'high' && context.channel.mayDecide?.(request) !== false
  const isShown = pieces(question).length <= smsLimits.questionMessages
  const link = isAllowed && !isShown ? await context.linkTo(question) : undefined
  const shown = isShown ? question : `${shortened(question, 600)}${link === undefined ? '' : `\nAll of it: ${link}`}`
  if (!isAllowed || (!isShown && link === undefined)) return pieces(`${shown}\n${elsewhere}`)
  const put = askOf(asked, reader, codeUntil(context, request.expiresAt))
  return pieces(`${shown}\n${instruction(put, context)}`).map((piece) => ({ ...piece, ask: put }))
}

/** How a request is answered. */
export function instruction(put: AskPut, { clock, codeOf }: Pick<SayingsContext, 'clock' | 'codeOf'>): string {
  const code = codeOf(put)
  const minutes = Math.max(1, Math.round(((put.until ?? 0) - clock.now()) / 60_000))
  return `Reply YES ${code} or NO ${code} within ${minutes} minutes.`
}

/** Until when a code is valid that is sent now. */
export function codeUntil({ clock, channel }: Pick<SayingsContext, 'clock' | 'channel'>, expiresAt?: string): number {
  const until = clock.now() + (channel.codeValidMs ?? smsLimits.codeValidMs)
  return expiresAt === undefined ? until : Math.min(until, Date.parse(expiresAt))
}

/** A text in messages, each as long as Twilio takes it. */
export function pieces(text: string): Saying<string>[] {
  return splitText(text, smsLimits.body - 100).map((content) => ({ content }))
}

function shownName({ name = 'File' }: ArtifactReference): string {
  return plainShapes(shortened(oneLine(name), 80))
}

function wordsOf(block: Exclude<Block, { kind: 'ask' | 'file' }>): string {
  return phoneText(block.kind === 'choice' ? block.numbered : block.text, noMarks)
}
