import { guardedFetch } from '@cool-ai/beach-channel/guarded-fetch'
import type { Channel, Principal } from '@cool-ai/beach-core'
import {
  approvalReply,
  callbackOriginator,
  cron,
  standardWebhooks,
  webhooks,
  type InboundHook,
} from '@cool-ai/beach-hooks'
import { z } from 'zod'

type Environment = Readonly<Record<string, string | undefined>>

const payloadSchema = z.object({ text: z.string().min(1), thread: z.string().optional() })
const fareQuestion = 'find me flights to Corfu in August'

/**
 * How programs reach Sally, each way only where the environment asks for it: a hook at `/webhooks/travel`
 * (`TRAVEL_HOOK_SECRET`, `whsec_…`), answers sent to an address (`TRAVEL_CALLBACK_URL`), and a check of fares at the
 * times of a cron pattern (`FARE_CHECK`, such as `0 8 * * *`).
 */
export function automation(environment: Environment): Channel[] {
  const { TRAVEL_HOOK_SECRET: secret, TRAVEL_CALLBACK_URL: url, FARE_CHECK: pattern } = environment
  const callback = secret && url ? { url, secrets: [secret] } : undefined
  return [...(secret ? [travelHook(secret, callback)] : []), ...(pattern ? [fareCheck(pattern, callback?.url)] : [])]
}

function travelHook(secret: string, callback: InboundHook['callback']): Channel {
  const travel: InboundHook = {
    verify: standardWebhooks({ secrets: [secret] }),
    parts: (payload) => approvalReply(payload) ?? [{ partType: 'message', text: payloadSchema.parse(payload).text }],
    session: (payload) => payloadSchema.parse(payload).thread,
    callback,
  }
  // The operator may have set an address on this machine.
  const allow = typeof callback?.url === 'string' ? [new URL(callback.url).origin] : []
  const fetch = guardedFetch({ allow })
  return webhooks({ hooks: { travel }, fetch: (address, init) => fetch(address, init) })
}

function fareCheck(pattern: string, url: string | undefined): Channel {
  const principal: Principal = { kind: 'user', id: 'fare-check', tenant: 'default' }
  const to = url === undefined ? [] : [callbackOriginator({ hook: 'travel', url, principal })]
  const parts = [{ partType: 'message', text: fareQuestion }]
  const job = {
    cron: pattern,
    timezone: 'Europe/London',
    session: 'same',
    missed: 'last',
    parts,
    principal,
    to,
  } as const
  return cron({ jobs: { 'fare-check': job } })
}
