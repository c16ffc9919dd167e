import { Answering } from '../answers/answering.ts'
import type { Telling } from '../answers/told-answer.ts'
import type { Desk, Visit } from '../desk.ts'
import type { AskedRequests } from './asked.ts'
import type { ChatTips } from './history.ts'
import { takeRequest, type GivenRequest, type TakenRequest } from './take-request.ts'

/** What the ways of asking have in common. */
export interface Asking {
  readonly desk: Desk
  readonly requests: AskedRequests
  readonly tips: ChatTips
}

interface Reading<Parsed> {
  readonly parse: (body: unknown) => Parsed
  readonly given: (parsed: Parsed) => GivenRequest
  /** Refuses what may not be gone on with. */
  readonly check?: ((given: GivenRequest) => Promise<void>) | undefined
}

/** A request that was taken, and how its answer is told. */
export interface BegunAnswer<Parsed> {
  readonly parsed: Parsed
  readonly given: GivenRequest
  readonly taken: TakenRequest
  readonly telling: Telling
}

/** Reads a request, takes it to its session, and follows the answer. */
export async function beginAnswer<Parsed extends { readonly model: string }>(
  { desk, requests, tips }: Asking,
  visit: Visit,
  { parse, given: givenIn, check }: Reading<Parsed>,
): Promise<BegunAnswer<Parsed>> {
  const body = await desk.body(visit)
  const parsed = parse(body)
  desk.checkModel(parsed.model)
  const given = givenIn(parsed)
  await check?.(given)
  const asked = await requests.find(visit, body)
  const taken = await takeRequest({ desk, tips, asked, visit, body, given })
  const answering = new Answering(desk, taken.plan)
  return { parsed, given, taken, telling: { desk, visit, answering, asked: { requests, body, asked } } }
}
