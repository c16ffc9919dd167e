import { isDeepStrictEqual } from 'node:util'
import { BeachError, type Decision } from '@cool-ai/beach-core'
import { sliceState, type ApprovalDecided, type SessionLog } from '@cool-ai/beach-core/log'
import type { AskedApproval } from '@cool-ai/beach-protocol/approval-words'
import { schemaProblems } from '@cool-ai/beach-protocol/json-schema'
import { turnSlice } from '../turn/turn-slice.ts'
import { findRequest } from './find-request.ts'

const maxBytes = 64 * 1024

/** What an approver wants besides a plain yes. */
interface CheckedDecision {
  readonly allowance?: ApprovalDecided['allow']
  /** The arguments that are to be others than those of the call. */
  readonly args?: Readonly<Record<string, unknown>> | undefined
}

/**
 * Checks what an approver wants besides a plain yes: other arguments, or that the tool is allowed for the session. Throws
 * what is wrong with it; returns what is left of it. Of what is not pending there is nothing to check.
 */
export async function checkDecision(
  log: SessionLog,
  session: string,
  approvalId: string,
  decision: Decision,
): Promise<CheckedDecision> {
  if (decision.decision === 'denied') throw wrong('A denial changes no arguments and allows nothing. Leave both out.')
  const asked = await pendingRequest(log, session, approvalId)
  const { args, allow } = decision
  if (asked === undefined) return { args }
  if (args !== undefined) checkArguments(args, asked)
  return { args: args && othersThanGiven(args, asked), allowance: allow && allowanceOf(allow, asked) }
}

function checkArguments(args: Readonly<Record<string, unknown>>, { editable }: AskedApproval): void {
  if (JSON.stringify(args).length > maxBytes)
    throw wrong(`The changed arguments have more than ${maxBytes} characters.`)
  const names = editable.map(({ name }) => name)
  const problems = Object.entries(args).flatMap(([name, value]) => {
    const argument = editable.find((each) => each.name === name)
    if (argument !== undefined) return schemaProblems(argument.schema, value, name)
    const which = names.length === 0 ? 'None of them can be.' : `Those that can be are: ${names.join(', ')}.`
    return [`The argument '${name}' of this call cannot be changed. ${which}`]
  })
  if (problems.length > 0) throw wrong(problems.join('; '))
}

/** A form sends all that can be changed; undefined when none of it is. */
function othersThanGiven(args: Readonly<Record<string, unknown>>, { request }: AskedApproval): CheckedDecision['args'] {
  const others = Object.entries(args).filter(([name, value]) => {
    return !Object.hasOwn(request.args, name) || !isDeepStrictEqual(request.args[name], value)
  })
  return others.length === 0 ? undefined : Object.fromEntries(others)
}

function allowanceOf(
  { upTo }: NonNullable<Decision['allow']>,
  { allowForSession, amount, request }: AskedApproval,
): NonNullable<ApprovalDecided['allow']> {
  const tool = request.toolName
  if (!allowForSession) throw wrong('This tool cannot be allowed for the session. Leave `allow` out.')
  if (amount === undefined && upTo !== undefined) throw wrong('Calls of this tool have no amount. Leave `upTo` out.')
  if (amount === undefined) return { tool }
  if (upTo === undefined || !Number.isFinite(upTo) || upTo <= 0) {
    throw wrong(`Say up to which sum the tool is allowed, in ${amount.currency}: \`allow: { upTo: 500 }\`.`)
  }
  return { tool, upTo: { value: upTo, currency: amount.currency } }
}

/** The request of an approval that is not decided. */
async function pendingRequest(
  log: SessionLog,
  session: string,
  approvalId: string,
): Promise<AskedApproval | undefined> {
  const { state } = await log.load(session)
  const { turn } = sliceState(turnSlice, state)
  if (turn?.approvals.some((entry) => entry.approvalId === approvalId && entry.decision === undefined) !== true) {
    return undefined
  }
  const found = await findRequest(log, session, turn, approvalId)
  if (found === undefined) throw wrong('The request is not there any more: decide it without changes.')
  return found.asked
}

function wrong(message: string): BeachError {
  return new BeachError('BAD_REQUEST', message)
}
