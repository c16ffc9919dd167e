import { isBeachError, type Originator, type Part, type PartTypeRegistry, type Sessions } from '@cool-ai/beach-core'
import type { Choice, ChoiceAction } from '@cool-ai/beach-core/registries'
import { othersContentOf } from '@cool-ai/beach-core/ports'
import { contentHash, ifFound } from '@cool-ai/beach-core/runtime'
import { choicePart, isApprovalSurface } from '@cool-ai/beach-protocol'
import { chosenNumber } from './choice-words.ts'

/** A part that a reader is shown in words, with the number of its first choice where it has choices. */
interface ShownPart {
  readonly part: Part
  readonly firstNumber?: number | undefined
}

/** What a reader is shown of an answer, and what they can choose in it, by its numbers. */
export interface Offered {
  readonly shown: readonly ShownPart[]
  readonly choices: readonly Choice[]
}

/** What a channel remembers of the choices that it has sent: enough to find them again in the log, and no words. */
export interface OfferedList {
  readonly turnId: string
  /** The choices as they were sent: found again, they must be the same. */
  readonly digest: string
}

type PartTypes = Pick<PartTypeRegistry, 'get'>

/**
 * The parts of an answer that are read, with all their choices numbered. Data that a surface shows is left out, and so
 * is data that has nothing to choose: the actor's words say what it comes to.
 */
export function offeredIn(parts: readonly Part[], partTypes: PartTypes): Offered {
  const slots = new Set(parts.filter(isSurface).map(({ metadata }) => metadata.slotKey))
  const choices: Choice[] = []
  const shown = parts.flatMap((part): ShownPart[] => {
    if (isApprovalSurface(part)) return []
    const isData = part.metadata.partType === 'domain-data'
    if (isData && slots.has(part.metadata.slotKey)) return []
    const found = partTypes.get(part.metadata.partType)?.choices?.(part) ?? []
    if (isData && found.length === 0) return []
    const firstNumber = found.length === 0 ? undefined : choices.length + 1
    choices.push(...found)
    return [{ part, firstNumber }]
  })
  return { shown, choices }
}

function isSurface(part: Part): boolean {
  return part.metadata.partType === 'a2ui-surface' && !isApprovalSurface(part)
}

/** What is remembered of an answer's choices. */
export function listOf(turnId: string, choices: readonly Choice[]): OfferedList {
  return { turnId, digest: digestOf(choices) }
}

/** Where a list was sent: to whom, and in which session. */
export interface ListPlace {
  readonly sessions: Pick<Sessions, 'envelope'>
  readonly session: string
  readonly to: Originator
  readonly partTypes: PartTypes
}

/** The choices of an answer that was sent, from the log; none when they are not the same any more. */
export async function sentChoices(
  { turnId, digest }: OfferedList,
  { sessions, session, to, partTypes }: ListPlace,
): Promise<readonly Choice[]> {
  const envelope = await ifFound(sessions.envelope(session, turnId, to))
  const { choices } = offeredIn(envelope?.parts ?? [], partTypes)
  return digestOf(choices) === digest ? choices : []
}

function digestOf(choices: readonly Choice[]): string {
  return contentHash(choices).slice(0, 32)
}

const maxChoices = 999

/**
 * The parts of a message with what it chooses of a list that its sender was sent; the same parts when it chooses nothing.
 * `list` is asked for only when the message could be a choice: most are none, and the log is not read for them.
 */
export async function withChoice(
  parts: readonly Part[],
  list: () => Promise<OfferedList | undefined>,
  { now, ...place }: ListPlace & { readonly now: number },
): Promise<readonly Part[]> {
  const [said, ...more] = parts
  if (said?.text === undefined || !isOwnText(said) || chosenNumber(said.text, maxChoices) === undefined) return parts
  const found = await list()
  const choices = found === undefined ? [] : await sentChoices(found, place)
  const number = chosenNumber(said.text, choices.length)
  const choice = number === undefined ? undefined : choices[number - 1]
  // What is pressed is alone in its message: with files it is words about them.
  if (number === undefined || choice === undefined || (choice.kind === 'button' && more.length > 0)) return parts
  return [...choiceParts(choice, number, said, now), ...more]
}

function isOwnText(part: Part): boolean {
  return part.metadata.partType === 'message' && othersContentOf(part) === undefined
}

/**
 * The parts of a message that makes a choice: of a thing the sender's own words and the thing, of a button the press, of
 * an answer the answer.
 */
function choiceParts(choice: Choice, number: number, said: Part, now: number): readonly Part[] {
  switch (choice.kind) {
    case 'item':
      return [said, choicePart(number, choice)]
    case 'button':
      return [pressPart(choice.action, now)]
    case 'answer':
      return [{ ...said, text: choice.text }]
  }
}

/** What a client sends when a button is pressed. */
export function pressPart({ label: _, fields: __, ...action }: ChoiceAction, now: number): Part {
  const timestamp = new Date(now).toISOString()
  return { data: { version: 'v0.9', action: { ...action, timestamp } }, metadata: { partType: 'a2ui-action' } }
}

/** Every button of the choices, in the order in which links to them are numbered. */
export function buttonsOf(choices: readonly Choice[]): readonly ChoiceAction[] {
  return choices.flatMap((choice) => {
    if (choice.kind === 'button') return [choice.action]
    return choice.kind === 'item' ? choice.actions : []
  })
}

/** True when what was pressed is not there any more, or is something else now. */
export function isOutdated(error: unknown): boolean {
  return isBeachError(error, 'STALE_SURFACE') || isBeachError(error, 'INVALID_PART')
}
