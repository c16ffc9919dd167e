import { BeachError, isBeachError, type Part, type TurnState } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import { contextAmong, parsePart, turnStateOf } from '@cool-ai/beach-protocol'
import { isObject, kindOf, schemaProblems } from '@cool-ai/beach-protocol/json-schema'
import type { CheckedSchema } from '../tools/tool-schema.ts'
import type { AskedApproval, DroppedPart, RespondCall } from './respond-call.ts'
import { isInbound, isReserved, offeredPartTypes, offeredTurnStates, type RespondOptions } from './respond-options.ts'

interface Problems {
  readonly state: string[]
  readonly parts: string[]
  /** For parts that the call may do without. */
  readonly dropped: DroppedPart[]
}

type Input = Readonly<Record<string, unknown>>

// A model that got everything wrong needs a starting point, not a list of everything.
const maxProblems = 20

/** The call that a model made, checked as a whole; throws with every problem as a sentence that the model can act on. */
export function checkRespond(input: unknown, options: RespondOptions): RespondCall {
  if (!isObject(input)) {
    const problem = `respond() takes an object with turnState and parts, not ${kindOf(input)}.`
    throw refusal({ state: [], parts: [problem], dropped: [] })
  }
  const problems: Problems = { state: [], parts: [], dropped: [] }
  const turnState = readTurnState(input, options, problems)
  const passTo = readName(input, 'passTo', problems)
  const note = readName(input, 'note', problems)
  const { parts, approvals } = readParts(input.parts, options, problems)
  const [approval, another] = approvals
  if (another !== undefined) problems.parts.push('Ask for one approval in a call.')
  if (turnState !== undefined) {
    const asks = approval !== undefined || parts.some((part) => part.metadata.partType === 'approval-request')
    problems.state.push(...handoffProblems(turnState, passTo, options), ...approvalProblems(turnState, asks))
  }
  const isEmpty = parts.length === 0 && approval === undefined
  if (turnState === undefined || isEmpty || problems.state.length + problems.parts.length > 0) throw refusal(problems)
  const { dropped } = problems
  return defined({ turnState, passTo, parts, note, approval, dropped: dropped.length > 0 ? dropped : undefined })
}

function readTurnState(input: Input, options: RespondOptions, problems: Problems): TurnState | undefined {
  const known = `Use one of: ${offeredTurnStates(options).join(', ')}.`
  const given = givenTurnState(input, problems)
  if (given === undefined) {
    if (problems.state.length === 0) problems.state.push(`turnState is missing. ${known}`)
  } else if (!options.turnStates.has(given)) {
    problems.state.push(`The turn state '${given}' is not registered. ${known}`)
  } else return given
  return undefined
}

function givenTurnState(input: Input, problems: Problems): string | undefined {
  const turnState = readName(input, 'turnState', problems)
  const conversationState = readName(input, 'conversationState', problems)
  try {
    return turnStateOf({ turnState, conversationState })
  } catch (error) {
    if (!(error instanceof BeachError)) throw error
    problems.state.push(`${error.message} Give turnState alone.`)
    return undefined
  }
}

/** A text that may be left out. Models that must fill every field write null or nothing into those they do not use. */
function readName(input: Input, key: string, problems: Problems): string | undefined {
  const value = Object.hasOwn(input, key) ? input[key] : undefined
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value === 'string') return value
  problems.state.push(`${key} must be a string, not ${kindOf(value)}.`)
  return undefined
}

interface ReadParts {
  readonly parts: Part[]
  readonly approvals: AskedApproval[]
}

function readParts(given: unknown, options: RespondOptions, problems: Problems): ReadParts {
  const read: ReadParts = { parts: [], approvals: [] }
  if (!Array.isArray(given) || given.length === 0) {
    const what =
      given === undefined ? 'is missing' : Array.isArray(given) ? 'is empty' : `is no array but ${kindOf(given)}`
    problems.parts.push(`parts ${what}. Give an array with at least one part.`)
    return read
  }
  const partContext = options.partContext && contextAmong(given, options.partContext)
  for (const [index, authored] of given.entries()) {
    const checked = checkPart(authored, { ...options, partContext })
    if ('part' in checked) read.parts.push(checked.part)
    else if ('approval' in checked) read.approvals.push(checked.approval)
    else {
      const { droppable } = checked
      const wrong = checked.problems.map((problem) => `parts[${index}]: ${problem}`)
      if (options.dropInvalid === true && droppable !== undefined) {
        problems.dropped.push({ partType: droppable, problems: wrong })
      } else problems.parts.push(...wrong)
    }
  }
  return read
}

function handoffProblems(turnState: string, passTo: string | undefined, { actors }: RespondOptions): string[] {
  if (turnState !== 'passed') {
    return passTo === undefined
      ? []
      : ["passTo goes with the turn state 'passed' only. Leave it out, or pass the turn."]
  }
  if (actors?.length === 0) return ["There is no actor to pass to: use another turn state than 'passed'."]
  const known = actors === undefined ? '' : ` Pass to one of: ${actors.join(', ')}.`
  if (passTo === undefined) return [`The turn state 'passed' needs passTo, the name of an actor.${known}`]
  return actors === undefined || actors.includes(passTo) ? [] : [`There is no actor '${passTo}'.${known}`]
}

function approvalProblems(turnState: string, asks: boolean): string[] {
  if (asks && turnState !== 'suspended') {
    return ["An approval-request suspends the turn: use the turn state 'suspended'."]
  }
  if (asks || turnState !== 'suspended') return []
  return [
    "The turn state 'suspended' needs an approval-request to wait for. " +
      'When a tool needs approval, just call it: the approval is asked for and the turn suspended by itself.',
  ]
}

function refusal({ state, parts: others, dropped }: Problems): BeachError {
  const parts = [...others, ...dropped.flatMap(({ problems }) => problems)]
  const all = [...state, ...parts]
  const problems = all.slice(0, maxProblems)
  if (all.length > maxProblems) problems.push(`There are ${all.length - maxProblems} more problems.`)
  return new BeachError(parts.length > 0 ? 'INVALID_PART' : 'INVALID_STATE', problems.join('\n'), {
    details: { problems },
  })
}

/** A part in wire form, or what is wrong with it. */
type CheckedPart =
  | { readonly part: Part }
  | { readonly approval: AskedApproval }
  | {
      readonly problems: readonly string[]
      /** The type of a part that an answer can do without. */
      readonly droppable?: string
    }

function checkPart(authored: unknown, options: RespondOptions): CheckedPart {
  if (!isObject(authored)) {
    return { problems: [`A part is an object with metadata and with text or data, not ${kindOf(authored)}.`] }
  }
  const refused = typeRefusal(authored, options)
  if (refused !== undefined) return { problems: [refused] }
  const { approvable } = options
  if (approvable !== undefined && typeOf(authored) === 'approval-request') return askedApproval(authored, approvable)
  const cited = withSource(authored, options)
  if ('problem' in cited) return { problems: [cited.problem], droppable: 'citation' }
  const parsed = parsedPart(cited.part, options)
  if (!('part' in parsed)) return { ...parsed, ...droppableType(authored, options) }
  const { result } = options
  if (result !== undefined && parsed.part.metadata.partType === 'domain-data') return checkedData(parsed.part, result)
  const problems = dataProblems(parsed.part, options)
  return problems.length > 0 ? { problems } : parsed
}

function withSource(authored: Readonly<Record<string, unknown>>, { sources }: RespondOptions) {
  if (sources === undefined || typeOf(authored) !== 'citation') return { part: authored }
  return sources.filledIn(authored)
}

/** The part of a result, with what its schema adds to it. */
function checkedData(part: Part, result: CheckedSchema): CheckedPart {
  const checked = result.check(part.data)
  return 'problems' in checked
    ? { problems: checked.problems.map((problem) => `data: ${problem}`) }
    : { part: { ...part, data: checked.value } }
}

/** The call that a model wants approved: the model does not choose who asks, in which turn, and by which id. */
function askedApproval(
  { data }: Readonly<Record<string, unknown>>,
  approvable: readonly string[],
): Exclude<CheckedPart, { part: Part }> {
  if (!isObject(data) || typeof data.toolName !== 'string' || !isObject(data.args)) {
    return {
      problems: ["The data of an approval-request is { toolName, args }, with the tool's arguments as an object."],
    }
  }
  const { toolName, args } = data
  if (approvable.includes(toolName)) return { approval: { toolName, args } }
  return { problems: [`There is no tool '${toolName}' to approve. There are: ${approvable.join(', ')}.`] }
}

function typeOf({ partType, metadata }: Readonly<Record<string, unknown>>): string | undefined {
  const named = partType ?? (isObject(metadata) ? metadata.partType : undefined)
  return typeof named === 'string' ? named : undefined
}

function droppableType(authored: Readonly<Record<string, unknown>>, { partTypes }: RespondOptions) {
  const named = typeOf(authored)
  const isDropped = named !== undefined && partTypes.get(named)?.whenInvalid === 'drop'
  return isDropped ? { droppable: named } : {}
}

/** Why a model may not emit a part of this type, although it may be registered. */
function typeRefusal(authored: Readonly<Record<string, unknown>>, options: RespondOptions): string | undefined {
  const named = typeOf(authored)
  if (named === undefined) return undefined
  const entry = options.partTypes.get(named)
  if (entry === undefined) {
    return `The part type '${named}' is not registered. Use one of: ${offeredPartTypes(options).join(', ')}.`
  }
  if (isInbound(entry)) return `A part of type '${named}' only comes from outside, never from you: leave it out.`
  if (isReserved(named, options)) return `A part of type '${named}' is made by the system, never by you: leave it out.`
  return undefined
}

function parsedPart(authored: Readonly<Record<string, unknown>>, options: RespondOptions): CheckedPart {
  const { partTypes, partContext } = options
  try {
    return { part: withoutOrigin(parsePart(withoutNulls(authored), partTypes, partContext)) }
  } catch (error) {
    if (!isBeachError(error, 'INVALID_PART')) throw error
    const { problems } = error.details
    return { problems: Array.isArray(problems) ? problems.map(String) : [error.message] }
  }
}

/** Only code that passes a part on notes its origin, never a model. */
function withoutOrigin(part: Part): Part {
  const { origin, ...metadata } = part.metadata
  return origin === undefined ? part : { ...part, metadata }
}

// Models that must fill every field write null into the one of text and data that they do not use.
function withoutNulls(authored: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (authored.text === null) {
    const { text, ...rest } = authored
    return rest
  }
  if (authored.data !== null || typeof authored.text !== 'string') return authored
  const { data, ...rest } = authored
  return rest
}

function dataProblems({ data, metadata }: Part, { domainDataSchema, coordinates }: RespondOptions): string[] {
  if (metadata.partType === 'domain-data' && domainDataSchema !== undefined) {
    return schemaProblems(domainDataSchema, data, 'data')
  }
  if (metadata.partType !== 'setState' || coordinates === undefined || !isObject(data)) return []
  return Object.keys(data)
    .filter((coordinate) => !coordinates.includes(coordinate))
    .map((coordinate) => `There is no coordinate '${coordinate}'. There are: ${coordinates.join(', ') || 'none'}.`)
}
