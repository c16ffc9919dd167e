import { expect, test } from 'vitest'
import { hostileSearches } from './hostile.test-helper.ts'
import type { MissiveChange, MissiveStore, StoredQuery } from './missive-store.ts'
import type { Missive } from './missive.ts'
import { wordsIn } from './missive-parts.ts'

let made = 0

export function missive(text: string, more: Partial<Missive> = {}): Missive {
  const n = ++made
  return {
    missiveId: `mis_${n}`,
    tenant: 'acme',
    sessionId: 'sess_1',
    threadId: 'thr_1',
    direction: 'in',
    channel: 'smtp',
    correspondent: {
      originatorId: 'smtp:ann@example.com',
      principal: { kind: 'user', id: 'ann' },
      addresses: ['principal:user~ann', 'email:ann@example.com'],
    },
    owner: 'principal:user~ann',
    parts: [{ text, metadata: { partType: 'message' } }],
    at: 1_000 + n,
    seq: n,
    delivery: { state: 'received', at: 1_000 + n },
    ...more,
  }
}

export const bob: Pick<Missive, 'correspondent'> = {
  correspondent: {
    originatorId: 'sms:+491',
    principal: { kind: 'user', id: 'bob' },
    addresses: ['principal:user~bob', 'phone:+4930123456'],
  },
}

/** Writes changes to a session as the next thing that was read of its log. */
export async function put(store: MissiveStore, session: string, ...changes: MissiveChange[]): Promise<void> {
  const seq = (await store.place(session))?.seq ?? 0
  expect(await store.write(session, seq, { seq: seq + 1, state: { at: seq } }, changes)).toBe(true)
}

export async function keep(store: MissiveStore, ...missives: Missive[]): Promise<void> {
  for (const one of missives) await put(store, one.sessionId, { kind: 'missive', missive: one })
}

export async function found(store: MissiveStore, query: Partial<StoredQuery> = {}): Promise<string[]> {
  const { items } = await store.find({ tenant: 'acme', ...query })
  return items.map(({ parts }) => parts[0]?.text ?? '')
}

/** The tests that every store of missives passes. */
export function testMissiveStore(open: () => Promise<MissiveStore>, { findsBeginnings = true } = {}): void {
  test('gives back what it was given, newest first', async () => {
    const store = await open()
    const first = missive('first', { turnId: 'turn_1', turnState: 'complete' })
    const second = missive('second')
    await keep(store, first, second)
    expect((await store.find({ tenant: 'acme' })).items).toEqual([second, first])
    expect(await store.get(first.missiveId, 'acme')).toEqual(first)
    expect(await store.get(first.missiveId, 'other')).toBeUndefined()
    expect(await store.get('mis_none', 'acme')).toBeUndefined()
  })

  test('writes nothing when another process has read the session further', async () => {
    const store = await open()
    const change = { kind: 'missive', missive: missive('once') } as const
    expect(await store.write('sess_1', 0, { seq: 5, state: { n: 1 } }, [change])).toBe(true)
    expect(await store.write('sess_1', 0, { seq: 9, state: { n: 2 } }, [change, change])).toBe(false)
    expect(await store.place('sess_1')).toEqual({ seq: 5, state: { n: 1 } })
    expect(await found(store)).toEqual(['once'])
    // The same again replaces it.
    await put(store, 'sess_1', change)
    expect(await found(store)).toEqual(['once'])
  })

  test('finds by session, thread, channel, direction, time and person, and by all of them', async () => {
    const store = await open()
    await keep(
      store,
      missive('mail'),
      missive('text message', { channel: 'sms', threadId: 'thr_2', ...bob }),
      missive('answer', { direction: 'out', delivery: { state: 'sent', at: 1 } }),
      missive('elsewhere', { sessionId: 'sess_2', threadId: 'thr_3', at: 5_000 }),
    )
    expect(await found(store, { sessionId: 'sess_2' })).toEqual(['elsewhere'])
    expect(await found(store, { threadId: 'thr_2' })).toEqual(['text message'])
    expect(await found(store, { channel: 'sms' })).toEqual(['text message'])
    expect(await found(store, { direction: 'out' })).toEqual(['answer'])
    expect(await found(store, { since: 5_000 })).toEqual(['elsewhere'])
    expect(await found(store, { until: 5_000, channel: 'smtp' })).toEqual(['answer', 'mail'])
    expect(await found(store, { persons: ['phone:+4930123456'] })).toEqual(['text message'])
    expect(await found(store, { persons: ['email:ann@example.com', 'phone:+4930123456'] })).toHaveLength(4)
    expect(await found(store, { persons: ['email:nobody@example.com'] })).toEqual([])
    expect(await found(store, { channel: 'smtp', direction: 'in', sessionId: 'sess_1' })).toEqual(['mail'])
  })

  test('shows callers only what is theirs, and no tenant another’s', async () => {
    const store = await open()
    await keep(
      store,
      missive('ann to the agent'),
      missive('bob in the session of ann', bob),
      missive('bob alone', { sessionId: 'sess_2', owner: 'principal:user~bob', ...bob }),
      missive('the same words elsewhere', { sessionId: 'sess_3', tenant: 'other' }),
    )
    expect(await found(store, { mine: ['principal:user~ann'] })).toEqual([
      'bob in the session of ann',
      'ann to the agent',
    ])
    expect(await found(store, { mine: ['phone:+4930123456'] })).toEqual(['bob alone', 'bob in the session of ann'])
    expect(await found(store, { mine: ['principal:user~eve'] })).toEqual([])
    expect(await found(store, { mine: [] })).toEqual([])
    for (const query of [{}, { words: ['words'] }, { persons: ['email:ann@example.com'] }, { sessionId: 'sess_3' }]) {
      expect(await found(store, query)).not.toContain('the same words elsewhere')
      expect(await found(store, { ...query, tenant: 'nobody' })).toEqual([])
    }
    expect(await found(store, { tenant: 'other', words: ['words'] })).toEqual(['the same words elsewhere'])
    expect(await found(store, { tenant: 'other', words: ['bob'] })).toEqual([])
    expect(await store.involving('other', ['phone:+4930123456'])).toEqual([])
  })

  test('finds words in any order, at their beginning, in any script, whatever their accents', async () => {
    const store = await open()
    await keep(
      store,
      missive('A flight from Zürich to Paris, please'),
      missive('Your booking reference is X7K-99'),
      missive('東京に行きたい'),
      missive('nothing of that', {
        parts: [
          { data: { hotel: { name: 'Grand Budapest' }, nights: 3 }, metadata: { partType: 'domain-data' } },
          { data: { artifactId: 'art_1', name: 'itinerary.pdf' }, metadata: { partType: 'artifact' } },
          { data: { secretly: 'moved' }, metadata: { partType: 'setState' } },
        ],
      }),
    )
    const search = (text: string) => found(store, { words: wordsIn(text) })
    expect(await search('paris ZURICH')).toHaveLength(1)
    expect(await search('zürich')).toHaveLength(1)
    expect(await search('flig')).toHaveLength(findsBeginnings ? 1 : 0)
    expect(await search('paris berlin')).toEqual([])
    expect(await search('x7k-99')).toHaveLength(1)
    expect(await search('東京')).toEqual(['東京に行きたい'])
    expect(await search('budapest')).toHaveLength(1)
    expect(await search('itinerary')).toHaveLength(1)
    expect(await search('moved')).toEqual([])
  })

  test('takes whatever is searched for as words, not for a language', async () => {
    const store = await open()
    await keep(store, missive('plain words here'), missive('other', { tenant: 'other' }))
    const search = async (text: string) => found(store, { words: wordsIn(text) })
    for (const [text, outcome] of hostileSearches) {
      if (outcome === 'refused') await expect(search(text), text).rejects.toMatchObject({ code: 'BAD_REQUEST' })
      else expect(await search(text), text).toEqual(outcome === 'found' ? ['plain words here'] : [])
    }
  })

  test('gives pages that neither repeat nor leave out, also when many came at one moment', async () => {
    const store = await open()
    for (let n = 0; n < 25; n++) await keep(store, missive(`number ${n}`, { at: 7_000 + Math.floor(n / 10) }))
    const seen: string[] = []
    let after: string | undefined
    do {
      const page = await store.find({ tenant: 'acme', words: ['number'], limit: 4, ...(after && { after }) })
      seen.push(...page.items.map(({ parts }) => parts[0]?.text ?? ''))
      expect(page.items.length).toBeLessThanOrEqual(4)
      // What comes meanwhile is newer, and on no later page.
      await keep(store, missive('number new', { at: 9_000 }))
      after = page.next
    } while (after !== undefined)
    expect(seen).toEqual(Array.from({ length: 25 }, (__, n) => `number ${24 - n}`))
    for (const wrong of ['', 'x', '1.', '-1.2', '1.2.3', '1e9.1', '9'.repeat(30)]) {
      await expect(async () => store.find({ tenant: 'acme', after: wrong })).rejects.toMatchObject({
        code: 'BAD_REQUEST',
      })
    }
    expect((await store.find({ tenant: 'acme', limit: 1e9 })).items.length).toBeLessThanOrEqual(200)
    expect((await store.find({ tenant: 'acme', limit: -5 })).items).toHaveLength(1)
    await expect(async () => store.find({ tenant: 'acme', limit: Number.NaN })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    })
  })

  test('follows a delivery to its end', async () => {
    const store = await open()
    const answer = missive('answer', { direction: 'out', delivery: { state: 'offered', at: 1 } })
    const other = missive('other', { direction: 'out', delivery: { state: 'queued', at: 1, deliveryId: 'd2' } })
    await keep(store, answer, other)
    const state = async (id: string) => (await store.get(id, 'acme'))?.delivery
    const { missiveId } = answer
    await put(store, 'sess_1', { kind: 'delivery', missiveId, delivery: { state: 'queued', at: 2, deliveryId: 'd1' } })
    expect(await state(missiveId)).toEqual({ state: 'queued', at: 2, deliveryId: 'd1' })
    const failed = { deliveryId: 'd1', state: 'queued', at: 3, attempts: 1, reason: 'no route' } as const
    await put(store, 'sess_1', { kind: 'delivery', delivery: failed })
    await put(store, 'sess_1', {
      kind: 'delivery',
      delivery: { deliveryId: 'd1', state: 'sent', at: 4, externalId: 'x' },
    })
    expect(await state(missiveId)).toEqual({ ...failed, state: 'sent', at: 4, externalId: 'x' })
    // Of another session it is another delivery.
    await put(store, 'sess_2', { kind: 'delivery', delivery: { deliveryId: 'd2', state: 'sent', at: 5 } })
    expect((await state(other.missiveId))?.state).toBe('queued')
    await put(store, 'sess_1', { kind: 'left', originatorId: 'smtp:ann@example.com', at: 6 })
    expect(await state(other.missiveId)).toMatchObject({ state: 'dropped', at: 6 })
    expect((await state(missiveId))?.state).toBe('sent')
  })

  test('erases a session, or an originator in it, and nothing else', async () => {
    const store = await open()
    await keep(store, missive('of ann'), missive('of bob', bob), missive('elsewhere', { sessionId: 'sess_2' }))
    await put(store, 'sess_1', { kind: 'erased', originatorIds: ['sms:+491'] })
    expect(await found(store)).toEqual(['elsewhere', 'of ann'])
    expect(await found(store, { words: ['bob'] })).toEqual([])
    await put(store, 'sess_1', { kind: 'erased' })
    expect(await found(store)).toEqual(['elsewhere'])
    expect(await store.place('sess_1')).toBeDefined()
    await store.drop('sess_2')
    expect(await found(store)).toEqual([])
    expect(await store.sessions()).toEqual(['sess_1'])
    await store.clear()
    expect(await store.sessions()).toEqual([])
  })

  test('tells where a person takes part', async () => {
    const store = await open()
    await keep(
      store,
      missive('of ann'),
      missive('of bob', bob),
      missive('of bob alone', { sessionId: 'sess_2', owner: 'principal:user~bob', ...bob }),
    )
    const sorted = async (...addresses: string[]) =>
      (await store.involving('acme', addresses)).toSorted((one, other) =>
        `${one.sessionId}${one.originatorId}` < `${other.sessionId}${other.originatorId}` ? -1 : 1,
      )
    expect(await sorted('phone:+4930123456')).toEqual([
      { sessionId: 'sess_1', originatorId: 'sms:+491', isOwner: false },
      { sessionId: 'sess_2', originatorId: 'sms:+491', isOwner: false },
    ])
    expect(await sorted('principal:user~ann')).toEqual([
      { sessionId: 'sess_1', originatorId: 'sms:+491', isOwner: true },
      { sessionId: 'sess_1', originatorId: 'smtp:ann@example.com', isOwner: true },
    ])
  })

  test('forgets by age, where no earlier rule says otherwise', async () => {
    const store = await open()
    await keep(
      store,
      missive('old mail', { at: 10 }),
      missive('old text', { at: 10, channel: 'sms' }),
      missive('new mail', { at: 100 }),
      missive('old mail of another', { at: 10, tenant: 'other', sessionId: 'sess_2' }),
      missive('old text of another', { at: 10, tenant: 'other', channel: 'sms', sessionId: 'sess_2' }),
    )
    const age = { before: 50, except: [{ tenant: 'acme', channel: 'smtp' }, { tenant: 'other' }] }
    expect(await store.agedSessions(age)).toEqual(['sess_1'])
    expect(await store.agedSessions({ before: 50 })).toEqual(['sess_1', 'sess_2'])
    expect(await store.agedSessions({ before: 50 }, 'sess_1')).toEqual(['sess_2'])
    expect(await store.agedSessions({ before: 50 }, undefined, 1)).toEqual(['sess_1'])
    expect(await store.forgetAged('sess_1', age)).toBe(1)
    expect(await found(store)).toEqual(['new mail', 'old mail'])
    expect(await store.forgetAged('sess_1', { before: 50, tenant: 'acme', channel: 'smtp' })).toBe(1)
    expect(await found(store)).toEqual(['new mail'])
    expect(await found(store, { words: ['old'] })).toEqual([])
    expect(await found(store, { tenant: 'other' })).toHaveLength(2)
  })

  test('knows which artifacts are named, by whom, and since when one is not', async () => {
    const store = await open()
    const name = (session: string, at: number, ...artifactIds: string[]) =>
      put(store, session, { kind: 'artifacts', at, artifactIds })
    await name('sess_1', 10, 'art_own', 'art_shared')
    await name('sess_2', 20, 'art_shared')
    expect((await store.artifactsOf('sess_1')).toSorted()).toEqual(['art_own'])
    const ids = ['art_own', 'art_shared', 'art_lost']
    expect([...(await store.unnamed(ids, 100))]).toEqual([['art_lost', 100]])
    expect([...(await store.unnamed(ids, 200))]).toEqual([['art_lost', 100]])
    await name('sess_2', 30, 'art_lost')
    expect([...(await store.unnamed(ids, 300))]).toEqual([])
    await store.forgetArtifacts('sess_2', 25)
    expect([...(await store.unnamed(ids, 400))]).toEqual([])
    await store.forgetArtifacts('sess_2', 35)
    expect([...(await store.unnamed(ids, 500))]).toEqual([['art_lost', 500]])
    await store.collected('art_lost')
    await put(store, 'sess_1', { kind: 'erased' })
    expect([...(await store.unnamed(['art_own', 'art_shared', 'art_lost'], 600))]).toEqual([
      ['art_own', 600],
      ['art_shared', 600],
      ['art_lost', 600],
    ])
  })
}
