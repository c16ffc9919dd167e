import { describe, expect, test } from 'vitest'
import { AgentError, unreachable } from './reliability/agent-error.ts'
import { fallingBack } from './falling-back.ts'
import type { Carrier } from './reliability/connection.ts'

const refused = new AgentError('NOT_FOUND', 'No.', { status: 404 })

/** A carrier that opens, or fails, as the test says. */
function scripted(via: 'websocket' | 'sse', outcomes: ('opens' | 'breaks' | 'refused')[]) {
  const state = { tries: 0 }
  const carrier: Carrier = async (_after, events) => {
    const outcome = outcomes[state.tries++]
    if (outcome === 'refused') throw refused
    if (outcome === 'breaks') throw unreachable('Broken.')
    events.opened(via, 15_000)
    throw unreachable('Broken later.')
  }
  return { carrier, state }
}

async function tryTimes(carrier: Carrier, times: number): Promise<string[]> {
  const happened: string[] = []
  const nothing = () => {}
  const events = { opened: (via = 'nothing') => happened.push(via), activity: nothing, frame: nothing, retry: nothing }
  for (let count = 0; count < times; count++) {
    await carrier(undefined, events, new AbortController().signal).catch((error: Error) => happened.push(error.message))
  }
  return happened
}

describe('two ways', () => {
  test('the second is not tried when the first opens', async () => {
    const second = scripted('sse', [])
    await tryTimes(fallingBack(scripted('websocket', ['opens', 'opens']).carrier, second.carrier), 2)
    expect(second.state.tries).toBe(0)
  })

  test('where only the second gets through it is used from then on', async () => {
    const first = scripted('websocket', ['breaks', 'opens'])
    const second = scripted('sse', ['opens', 'opens'])
    expect(await tryTimes(fallingBack(first.carrier, second.carrier), 2)).toEqual([
      'sse',
      'Broken later.',
      'sse',
      'Broken later.',
    ])
    expect(first.state.tries).toBe(1)
  })

  test('a first one that has worked before is tried again', async () => {
    const first = scripted('websocket', ['opens', 'breaks', 'opens'])
    const second = scripted('sse', ['opens'])
    expect(
      (await tryTimes(fallingBack(first.carrier, second.carrier), 3)).filter((text) => !text.endsWith('.')),
    ).toEqual(['websocket', 'sse', 'websocket'])
  })

  test('when neither gets through the second says why, and both are tried again', async () => {
    const first = scripted('websocket', ['breaks', 'breaks'])
    const second = scripted('sse', ['breaks', 'refused'])
    expect(await tryTimes(fallingBack(first.carrier, second.carrier), 2)).toEqual(['Broken.', 'No.'])
    expect(first.state.tries).toBe(2)
  })

  test('a refusal of the first one is final', async () => {
    const second = scripted('sse', ['opens'])
    expect(await tryTimes(fallingBack(scripted('websocket', ['refused']).carrier, second.carrier), 1)).toEqual(['No.'])
    expect(second.state.tries).toBe(0)
  })
})
