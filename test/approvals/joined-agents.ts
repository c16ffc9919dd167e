import { defineActor, type BeachOptions } from '@cool-ai/beach'
import type { Principal, Store } from '@cool-ai/beach-core'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { testAgent } from '@cool-ai/beach-testing'
import { mergeOptions } from '../support/merge-options.ts'

/** An agent that asks for everything it is told to pay. */
export const payer = defineActor(async ({ text, respond, tool }) => {
  const call = { name: 'pay', args: { invoice: text }, requiresApproval: true, approval: { title: `Pay ${text}` } }
  const { outcome } = await tool(call, async () => 'paid')
  await respond({ parts: [{ partType: 'response', text: outcome }], turnState: 'complete' })
})

export const user = (id: string): Principal => ({ kind: 'user', id, tenant: 'default' })
export const asPage = { headers: { accept: 'text/html' } }

export interface Inbox {
  readonly items: readonly { readonly approvalId: string; readonly part: { readonly metadata: object } }[]
  readonly agents?: readonly (Inbox & { readonly id: string; readonly problem?: string; readonly hasMore?: true })[]
}

/** An agent on a port, whose users are named by the header `x-user`; one who is called "desk" is an operator. */
export async function listening(id: string, port: number, options: Partial<BeachOptions> = {}) {
  const store: Store = new MemoryStore({})
  const agent = await testAgent(
    mergeOptions(
      {
        agent: { id, name: `The ${id}` },
        data: { secret: new Uint8Array(32).fill(port % 251), store },
        actors: { payer },
        access: {
          authenticators: [
            async ({ headers }) => {
              const name = headers.get('x-user')
              if (name === null) return undefined
              const principal: Principal = name === 'desk' ? { ...user(name), kind: 'operator' } : user(name)
              return { principal, credential: { type: 'test' } }
            },
          ],
        },
      },
      options,
    ),
  )
  const { url } = await agent.beach.listen({ port, signals: false })
  const call = (who: string, path: string, init: RequestInit = {}) =>
    fetch(new URL(path, url), {
      ...init,
      redirect: 'manual',
      headers: { ...(init.headers as Record<string, string>), ...(who !== '' && { 'x-user': who }) },
    })
  return {
    agent,
    url,
    call,
    inbox: async (who: string) => (await (await call(who, '/approvals')).json()) as Inbox,
    page: async (who: string, query = '') => (await call(who, `/approvals${query}`, asPage)).text(),
    decide: (who: string, path: string, decision: string) =>
      call(who, path, {
        method: 'POST',
        body: JSON.stringify({ decision, reason: 'As agreed.' }),
        headers: { 'content-type': 'application/json' },
      }),
    /** What was decided in a session, as its log has it. */
    async decisions(session: string) {
      const events = await store.read(session, 0)
      return events.map(({ data }) => data as { type: string }).filter(({ type }) => type === 'approvalDecided')
    },
    /** A request that waits for a user. */
    async asks(who: string, what: string) {
      const conversation = agent.open(user(who))
      const turn = await conversation.say(what)
      return { conversation, approvalId: turn.approvals[0]?.approvalId ?? '' }
    },
  }
}

export const titlesIn = ({ items }: Inbox) =>
  items.map(({ part }) => (part.metadata as { about: { title: string } }).about.title)
