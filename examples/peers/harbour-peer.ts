import { agentCaller } from '@cool-ai/beach-a2a/peers'
import { credentialsOfPeers } from '@cool-ai/beach-channel/auth'
import { guardedFetch } from '@cool-ai/beach-channel/guarded-fetch'
import { systemRuntime } from '@cool-ai/beach-core'
import { AgentRegistry } from '@cool-ai/beach-transport/registry'

const { HARBOUR_URL = 'http://127.0.0.1:4800/' } = process.env

const runtime = systemRuntime()
// Addresses of one's own machine or network are called only where the configuration names them.
const fetch = guardedFetch({ allow: [new URL(HARBOUR_URL).origin] })

/** The peers that we know: the harbour. */
const peers = new AgentRegistry({ peers: [{ id: 'harbour', url: HARBOUR_URL }], fetch, runtime })

/** Calls them, with the secret that BEACH_PEER_HARBOUR_API_KEY holds. */
export const caller = agentCaller({
  peers,
  agent: { id: 'skipper' },
  fetch,
  runtime,
  credentials: credentialsOfPeers({ fetch }),
})
