import { z } from 'zod'
import type { Transmitted } from '../people/deliver.ts'

const errorSchema = z.object({ error: z.object({ code: z.number(), message: z.string().optional() }) })

/** Codes of too much at once: of the app, the account, the number, or to one person. */
const rateCodes: ReadonlySet<number> = new Set([4, 80_007, 130_429, 131_048, 131_056, 133_016])
/** Codes of what may be right the next time: their side, or a token that is being renewed. */
const passingCodes: ReadonlySet<number> = new Set([0, 1, 2, 190, 131_000, 131_016, 131_057, 133_004, 133_005])
/** More than 24 hours since the person last wrote. */
const closedCode = 131_047

interface GraphProblem {
  readonly code?: number
  readonly isRate: boolean
}

export function problemOf(status: number, body: unknown): GraphProblem {
  const code = errorSchema.safeParse(body).data?.error.code
  return { isRate: status === 429 || (code !== undefined && rateCodes.has(code)), ...(code !== undefined && { code }) }
}

/** What an answer that is no success comes to. */
export function outcomeOf(status: number, body: unknown): Exclude<Transmitted, { status: 'sent' }> {
  const { code, isRate } = problemOf(status, body)
  const said = errorSchema.safeParse(body).data?.error.message?.slice(0, 200)
  const reason = `WhatsApp answered ${status}${code === undefined ? '' : ` (${code})`}${said === undefined ? '' : `: ${said}`}.`
  if (code === closedCode) return { status: 'closed', reason }
  if (isRate || status >= 500 || status === 401 || status === 408) return { status: 'failed', reason }
  if (status < 300 || (code !== undefined && passingCodes.has(code))) return { status: 'failed', reason }
  return { status: 'refused', reason }
}
