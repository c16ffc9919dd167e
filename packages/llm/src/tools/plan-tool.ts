import type { Runtime, SessionView } from '@cool-ai/beach-core'
import type { PlannedTool, ToolClient } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import { runTool } from './run-tool.ts'
import type { ApprovalNeed } from './tool.ts'
import { backgroundPlan, begun, isBackground } from './background.ts'
import type { RegisteredTool } from './tool-registry.ts'
import { toolWords } from './tool-words.ts'

/** A call as the model made it. */
export interface ModelToolCall {
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
  /** The `respond()` call in which the model asks for the approval of this one: it needs one then, whatever the tool says. */
  readonly askedBy?: string
  /** Who runs it, for a tool of a client. */
  readonly client?: ToolClient
  /** What is wrong with it, for a tool of a client: it is not run. */
  readonly problem?: string
}

/**
 * Checks a call's arguments and says how it will run: with which approval, for how long, and in the background or not.
 */
export function planTool(
  tool: RegisteredTool,
  call: ModelToolCall,
  session: SessionView,
  runtime: Runtime,
): PlannedTool<unknown> | { readonly problems: readonly string[] } {
  const checked = tool.input.check(call.input)
  if ('problems' in checked) return checked
  const { definition } = tool
  const need = needOf(definition.requiresApproval, checked.value, session)
  const expiry = definition.approvalExpiresMs
  const approvalExpiresAt = expiry === undefined ? undefined : runtime.clock.now() + expiry
  const rule = approvalRule(
    call.askedBy === undefined || (typeof need === 'string' && need !== 'tainted') ? need : true,
  )
  // The origins of the turn's content may ask for an approval of any call.
  const words = toolWords(tool)
  const { approval, approvalNotice, recipients, sendsTo, resultOrigin } = definition
  return {
    call: {
      name: definition.name,
      args: call.input,
      toolCallId: call.toolCallId,
      // Starting it a second time finds it started.
      idempotent: isBackground(tool) || (definition.idempotent ?? false),
      ...rule,
      ...defined({
        approvalExpiresAt,
        words,
        schema: tool.input.jsonSchema,
        recipients: recipients && listOf(recipients(checked.value)),
        sendsTo,
        // Of a tool beside the turn only the work has a result.
        resultOrigin: isBackground(tool) ? undefined : resultOrigin,
        approvalNotice: approvalNotice?.(checked.value),
      }),
    },
    describe: approval && (() => approval(checked.value, session)),
    revise: (changed) =>
      planTool(tool, { ...call, input: { ...(call.input as object), ...changed } }, session, runtime),
    run: async (run) => {
      if (isBackground(tool)) return run.manifest(backgroundPlan(tool, call.input, checked.value)).then(() => begun)
      return runTool(tool, checked.value, { ...run, session }, runtime)
    },
  }
}

function needOf(
  rule: RegisteredTool['definition']['requiresApproval'],
  input: unknown,
  session: SessionView,
): ApprovalNeed {
  return (typeof rule === 'function' ? rule(input, session) : rule) ?? false
}

function listOf(recipients: string | readonly string[]): readonly string[] {
  return typeof recipients === 'string' ? [recipients] : recipients
}

function approvalRule(need: ApprovalNeed) {
  if (need === 'tainted') return { requiresApproval: need, approvalLevel: 'user' as const }
  if (need === false) return {}
  if (need === true) return { requiresApproval: true, approvalLevel: 'user' as const }
  if (typeof need === 'string') return { requiresApproval: true, approvalLevel: need }
  return { requiresApproval: true, approvedBy: need.grantedBy }
}
