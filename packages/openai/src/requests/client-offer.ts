import { clientTools, type GivenTool } from '@cool-ai/beach-channel/threads'
import type { ClientOffer } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import { isObject } from '@cool-ai/beach-protocol/json-schema'
import { paramError } from '../openai-error.ts'
import { approvalToolName } from './approval-tool.ts'
import { wordsOf } from './given-content.ts'
import type { GivenMessage, GivenRequest } from './take-request.ts'

/** What a client gives with its messages: tools of its own, instructions, and the form of the answer. */
export interface Given {
  readonly offer: ClientOffer
  /** True when the client takes requests for approvals as calls. */
  readonly decides: boolean
}

/** A tool as a request has it: under `function` in chat completions. */
export interface RequestedTool {
  readonly type: string
  readonly name?: unknown
  readonly description?: unknown
  readonly parameters?: unknown
}

const maxInstructions = 60_000

/**
 * What a client offers. Its instructions are what an application says that calls the agent: its state, which models are shown
 * as foreign content. They never become instructions of the agent.
 */
export function givenBy(
  { tools, instructions, form, choice }: Pick<GivenRequest, 'tools' | 'instructions' | 'form' | 'choice'>,
  ownTools: ReadonlySet<string>,
): Given {
  checkChoice(choice)
  if ((instructions?.length ?? 0) > maxInstructions) {
    throw paramError('instructions', `Instructions may have ${maxInstructions} characters.`)
  }
  const named = tools.map((tool, at) => namedTool(tool, `tools[${at}]`))
  const others = named.filter(({ name }) => name !== approvalToolName)
  const { tools: taken, refused } = clientTools(others, ownTools)
  const [first] = refused
  if (first !== undefined) throw paramError('tools', `The tool '${first.name}' ${first.reason}`)
  const asked =
    form?.schema === undefined
      ? undefined
      : { answerWith: 'domain-data that fits this JSON Schema', schema: form.schema }
  const state = instructions === undefined && asked === undefined ? undefined : defined({ instructions, ...asked })
  const offer = { tools: choice === 'none' ? [] : taken, ...defined({ state }) }
  return { offer, decides: others.length < named.length }
}

function namedTool({ type, name, description, parameters }: RequestedTool, param: string): GivenTool {
  if (type !== 'function' || typeof name !== 'string') {
    throw paramError(
      param,
      `A tool of type '${type.slice(0, 50)}' cannot be run here: offer functions, which your client runs itself.`,
    )
  }
  return {
    name,
    description: typeof description === 'string' ? description : undefined,
    parameters: parameters ?? undefined,
  }
}

/** The agent decides what it calls; a client that demands a call would be waiting for it in vain. */
function checkChoice(choice: unknown): void {
  const allowed = isObject(choice) && choice.type === 'allowed_tools' ? choice.mode : choice
  if (allowed === undefined || allowed === null || allowed === 'auto' || allowed === 'none') return
  throw paramError(
    'tool_choice',
    "The agent decides by itself which tools it calls: leave `tool_choice` out, or use 'auto' or 'none'.",
  )
}

/** What the system messages of a request say. */
export function instructionsIn(messages: readonly GivenMessage[], more?: string | null): string | undefined {
  const texts = messages.flatMap(({ role, contents }) => (role === 'system' ? [wordsOf(contents)] : []))
  const text = [more ?? '', ...texts].join('\n\n').trim()
  return text === '' ? undefined : text
}
