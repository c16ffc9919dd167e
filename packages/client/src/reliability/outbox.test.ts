import { expect, test } from 'vitest'
import { AgentError, cancelled, unreachable } from './agent-error.ts'
import { Outbox, type Progress } from './outbox.ts'
import { backoffOf } from './pauses.ts'
import { testPlatform } from './test-context.test-helper.ts'

const refused = new AgentError('INVALID_PART', 'No.', { status: 422 })
const lost = unreachable('Lost.')

interface Request {
  readonly items: readonly string[]
  readonly signal: AbortSignal
  readonly answer: (...answers: (number | AgentError)[]) => void
  readonly fail: (error: Error) => void
}

/** Numbers for letters; every request is given to the test. */
class Letters extends Outbox<string, number> {
  readonly requests: Request[] = []
  readonly progress: string[] = []

  protected send(items: readonly string[], signal: AbortSignal): Promise<(number | AgentError)[]> {
    const { promise, resolve, reject } = Promise.withResolvers<(number | AgentError)[]>()
    signal.addEventListener('abort', () => reject(signal.reason))
    this.requests.push({ items, signal, answer: (...answers) => resolve(answers), fail: reject })
    return promise
  }

  protected onProgress(item: string, { state }: Progress<number>): void {
    this.progress.push(`${item} ${state}`)
  }

  override drop(item: string, error: AgentError): void {
    super.drop(item, error)
  }

  last(): Request {
    const found = this.requests.at(-1)
    if (found === undefined) throw new Error('Nothing was sent.')
    return found
  }
}

function letters(maxBatch?: number) {
  const platform = testPlatform()
  const outbox = new Letters(backoffOf(platform), maxBatch)
  const put = (item: string) => {
    const answer = outbox.put(item)
    answer.catch(() => {})
    return answer
  }
  return { clock: platform.clock, outbox, put }
}

const sent = ({ requests }: Letters) => requests.map(({ items }) => items.join(''))

test('items put in one go are one request, and items put meanwhile go together in the next', async () => {
  const { clock, outbox, put } = letters(2)
  const all = ['a', 'b', 'c', 'd'].map(put)
  await clock.advance(0)
  outbox.last().answer(1, refused)
  await clock.advance(0)
  outbox.last().answer(3, 4)
  expect(await Promise.allSettled(all)).toMatchObject([{ value: 1 }, { reason: refused }, { value: 3 }, { value: 4 }])
  expect(sent(outbox)).toEqual(['ab', 'cd'])
  expect(outbox.size).toBe(0)
})

test('items whose request was refused as a whole are sent one by one, and later items together again', async () => {
  const { clock, outbox, put } = letters(3)
  const all = ['a', 'b', 'c', 'd', 'e'].map(put)
  await clock.advance(0)
  outbox.last().fail(refused)
  await clock.advance(0)
  outbox.last().answer(1)
  await clock.advance(0)
  outbox.last().fail(refused)
  await clock.advance(0)
  outbox.last().answer(3)
  await clock.advance(0)
  outbox.last().answer(4, 5)
  expect(await Promise.allSettled(all)).toMatchObject([
    { value: 1 },
    { reason: refused },
    { value: 3 },
    { value: 4 },
    { value: 5 },
  ])
  expect(sent(outbox)).toEqual(['abc', 'a', 'b', 'c', 'de'])
})

test('an item that is put during a pause goes with the next try', async () => {
  const { clock, outbox, put } = letters(5)
  void put('a')
  await clock.advance(0)
  outbox.last().fail(lost)
  await clock.advance(0)
  void put('b')
  await clock.advance(500)
  expect(sent(outbox)).toEqual(['a', 'ab'])
})

test('a request ends when all of its items are dropped, and not before', async () => {
  const { clock, outbox, put } = letters(2)
  const all = ['a', 'b', 'c'].map(put)
  await clock.advance(0)
  const { signal } = outbox.last()
  outbox.drop('a', cancelled('Dropped.'))
  expect(signal.aborted).toBe(false)
  outbox.drop('b', cancelled('Dropped.'))
  expect(signal.aborted).toBe(true)
  await clock.advance(0)
  outbox.last().answer(3)
  await clock.advance(0)
  expect(await Promise.allSettled(all)).toMatchObject([
    { reason: { code: 'CANCELLED' } },
    { reason: { code: 'CANCELLED' } },
    { value: 3 },
  ])
  expect(outbox.progress.filter((text) => text.startsWith('b'))).toEqual(['b waiting', 'b sending', 'b failed'])
})

test('a closed outbox tries nothing again and fails what is put', async () => {
  const { clock, outbox, put } = letters()
  const all = ['a', 'b'].map(put)
  outbox.last().fail(lost)
  await clock.advance(0)
  outbox.close(refused)
  expect(await Promise.allSettled([...all, put('c')])).toEqual(
    ['a', 'b', 'c'].map(() => ({ status: 'rejected', reason: refused })),
  )
  await clock.advance(60_000)
  expect(sent(outbox)).toEqual(['a'])
  expect(clock.next()).toBeUndefined()
})
