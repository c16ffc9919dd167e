import { webhookHeaders, webhookKey } from '@cool-ai/beach-channel/standard-webhooks'
import { insist } from '../insist.ts'
import { hookSecret, type Transcript } from '../script.ts'
import type { Client, ClientContext } from './client.ts'

/** Sends signed payloads to a hook; the answers come as callbacks. */
export const holdByWebhook: Client = async (script, context) => {
  const { ledger, signal } = context
  const to = `/callbacks/${script.name}`
  const answers: Transcript['answers'][number][] = []
  for (const ask of script.asks) {
    const asked = `${script.name} ${ask}`
    await post(`${script.name}-${ask}`, { text: asked, thread: script.name }, context)
    if (ask === 'pay') {
      const approvalId = await ledger.delivery(to, approvalIn, signal)
      await post(`${script.name}-decision`, { approvalId, decision: 'granted' }, context)
    }
    const texts = await ledger.delivery(to, (body) => answersIn(body, asked), signal)
    answers.push({ asked, texts })
  }
  return { read: async () => ({ ...script, answers, problems: [] }) }
}

/** Sent until it is taken; sent again under its id it is the same payload. */
function post(id: string, payload: unknown, { balancer, signal }: ClientContext): Promise<void> {
  const body = JSON.stringify(payload)
  return insist(async () => {
    const timestamp = Math.floor(Date.now() / 1_000)
    const headers = {
      'content-type': 'application/json',
      ...webhookHeaders({ id, timestamp, body }, [webhookKey(hookSecret)]),
    }
    const response = await balancer.fetch(`${balancer.url}/webhooks/desk`, { method: 'POST', headers, body })
    const text = await response.text()
    if (response.status >= 300 && response.status !== 409) throw new Error(`${response.status}: ${text}`)
  }, signal)
}

interface Envelope {
  readonly parts: readonly {
    readonly text?: string
    readonly data?: unknown
    readonly metadata?: { readonly partType?: string }
  }[]
}

function partsOf(body: string, partType: string) {
  return (JSON.parse(body) as Envelope).parts.filter((part) => part.metadata?.partType === partType)
}

function approvalIn(body: string): string | undefined {
  const [asked] = partsOf(body, 'approval-request')
  return (asked?.data as { approvalId?: string } | undefined)?.approvalId
}

function answersIn(body: string, asked: string): string[] | undefined {
  const texts = partsOf(body, 'response').map((part) => part.text ?? '')
  return texts.some((text) => text.startsWith(`${asked}:`)) ? texts : undefined
}
