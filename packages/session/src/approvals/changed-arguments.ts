import { BeachError, type Decision } from '@cool-ai/beach-core'
import { sliceState, type SessionLog } from '@cool-ai/beach-core/log'
import { askedApproval, type EditableArgument } from '@cool-ai/beach-protocol/approval-words'
import { schemaProblems } from '@cool-ai/beach-protocol/json-schema'
import { readTurnEvents } from '../turn/turn-material.ts'
import { turnSlice } from '../turn/turn-slice.ts'

const maxBytes = 64 * 1024

/** Throws what is wrong with the arguments that an approver wants to change; what is not pending has nothing to check. */
export async function checkChangedArguments(
  log: SessionLog,
  session: string,
  approvalId: string,
  { decision, args = {} }: Decision,
): Promise<void> {
  if (decision === 'denied') throw wrong('A denial changes no arguments. Leave `args` out.')
  if (JSON.stringify(args).length > maxBytes)
    throw wrong(`The changed arguments have more than ${maxBytes} characters.`)
  const editable = await editableArguments(log, session, approvalId)
  if (editable === undefined) return
  const names = editable.map(({ name }) => name)
  const problems = Object.entries(args).flatMap(([name, value]) => {
    const argument = editable.find((each) => each.name === name)
    if (argument !== undefined) return schemaProblems(argument.schema, value, name)
    const which = names.length === 0 ? 'None of them can be.' : `Those that can be are: ${names.join(', ')}.`
    return [`The argument '${name}' of this call cannot be changed. ${which}`]
  })
  if (problems.length > 0) throw wrong(problems.join('; '))
}

async function editableArguments(
  log: SessionLog,
  session: string,
  approvalId: string,
): Promise<readonly EditableArgument[] | undefined> {
  const { state } = await log.load(session)
  const { turn } = sliceState(turnSlice, state)
  if (turn?.approvals.some((entry) => entry.approvalId === approvalId && entry.decision === undefined) !== true) {
    return undefined
  }
  for (const { event } of await readTurnEvents(log, session, turn.turnId, turn.messages[0]?.seq ?? 1)) {
    const part = event.type === 'partReceived' && event.turnId === turn.turnId ? event.payload?.part : undefined
    const asked = part && askedApproval(part)
    if (asked?.request.approvalId === approvalId) return asked.editable
  }
  return []
}

function wrong(message: string): BeachError {
  return new BeachError('BAD_REQUEST', message)
}
