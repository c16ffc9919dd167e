import { AgentError, backoffOf, persist, platformOf, requestsTo } from '@cool-ai/beach-client/reliability'
import { useEffect, useState } from 'react'
import { readAbout, type AgentAbout } from './agent-about.ts'
import { addressProblem, blockedBy, refusedBecause } from './problems.ts'

/** Why there is no conversation; one that is lasting is not tried again by itself. */
interface Problem {
  readonly message: string
  readonly isLasting: boolean
}

interface UsedAgent {
  /** The agent's address in full. */
  readonly url?: string
  readonly about?: AgentAbout
  readonly problem?: Problem
}

/** Asks an agent who it is, and with that whether this page may talk to it; as often as it takes to reach it. */
export function useAgent(agent: string): UsedAgent {
  const [used, setUsed] = useState<UsedAgent & { readonly of: string }>({ of: agent })
  useEffect(() => {
    const end = new AbortController()
    const show = (now: UsedAgent) => {
      if (!end.signal.aborted) setUsed({ of: agent, ...now })
    }
    const fail = (message: string, isLasting = true) => {
      if (end.signal.aborted) return
      console.error(`<beach-chat agent="${agent}">: ${message}`)
      show({ problem: { message, isLasting } })
    }
    show({})
    const wrong = addressProblem(agent, location)
    if (wrong !== undefined) {
      fail(wrong)
      return () => end.abort()
    }
    const url = new URL(agent, document.baseURI).href
    const giveUp = (message: string) => {
      fail(message)
      end.abort()
    }
    document.addEventListener(
      'securitypolicyviolation',
      (violation) => {
        const blocked = blockedBy(violation, url)
        if (blocked !== undefined) giveUp(blocked)
      },
      { signal: end.signal },
    )
    ask(url, end.signal, () =>
      fail(`The agent at ${url} cannot be reached. If that is its address: it is tried again.`, false),
    ).then(
      (about) => show({ url, about }),
      (error: AgentError) => giveUp(refusedBecause(error, url, location.origin)),
    )
    return () => end.abort()
  }, [agent])
  // What is known is of the address before, until the effect has run.
  return used.of === agent ? used : {}
}

async function ask(url: string, signal: AbortSignal, onPause: () => void): Promise<AgentAbout> {
  const platform = platformOf({})
  const requests = requestsTo({ url }, platform.clock)
  const headers = { accept: 'application/json' }
  let isFirst = true
  const answer = await persist(() => requests.open('/beach-chat.json', { headers, signal }), {
    pauses: backoffOf(platform),
    signal,
    onPause() {
      if (isFirst) onPause()
      isFirst = false
    },
  })
  const about: unknown = await answer.json().catch(() => undefined)
  // A page of another kind of server, at the address that was given.
  if (about === undefined) throw new AgentError('NOT_FOUND', 'What came is not from an agent.')
  return readAbout(about)
}
