import type { AgentContext } from '../agent-context.ts'
import type { Rights } from './rights.ts'

/** The context of one channel: where not every caller may use it, it knows no others. */
export function contextOfChannel(context: AgentContext, transport: string, rights: Rights): AgentContext {
  if (!rights.guards(transport)) return context
  return {
    ...context,
    authenticate: rights.forChannel(transport, context.authenticate),
    authenticatorFor: async (required) => rights.forChannel(transport, await context.authenticatorFor(required)),
    guest: () => {
      rights.requireChannel(transport, undefined)
      return context.guest()
    },
  }
}
