import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openData } from '@cool-ai/beach'
import { channelKeys } from '@cool-ai/beach-channel/retention'
import type { ArtifactStore, Store } from '@cool-ai/beach-core'
import type { SessionEvent } from '@cool-ai/beach-core/log'
import { MemoryArtifactStore, MemoryIdentityStore, MemoryMissiveStore } from '@cool-ai/beach-missives'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { describe, expect, test } from 'vitest'
import { loginPrefix } from '../../packages/beach/src/identity/logins.ts'
import { oidcPrefix } from '../../packages/beach/src/identity/oidc/oidc-prefix.ts'
import { revokedPrefix } from '../../packages/beach/src/identity/revocations.ts'
import { sessionKeys } from '../../packages/session/src/erasure/key-retention.ts'
import {
  ann,
  bob,
  eventually,
  folderOfTest,
  kept,
  mailer,
  operator,
  Post,
  say,
  short,
  simulated,
  startAgent,
  text,
  viewer,
} from './test-context.ts'

const day = 24 * 60 * 60 * 1_000

async function textOfLog(store: Store, session: string): Promise<string> {
  return JSON.stringify((await store.read(session, 0)).map(({ data }) => data as SessionEvent))
}

function stores(runtime: ReturnType<typeof simulated>) {
  const missives = { store: new MemoryMissiveStore(), identities: new MemoryIdentityStore() }
  return { store: new MemoryStore({ runtime }), missives, artifacts: new MemoryArtifactStore({ runtime }) }
}

describe('retention', () => {
  test('forgets what is older than its rule, in the missives and in the log; the first rule that fits counts', async () => {
    const runtime = simulated()
    const context = stores(runtime)
    const retention = [{ keepMs: 10 * day, channel: 'smtp' }, { keepMs: 30 * day }]
    const agent = await startAgent({
      data: { ...context, missives: { ...context.missives, retention } },
      runtime,
      channels: [new Post().channel],
    })
    const byMail = await agent.sessions.open({ principal: ann })
    const both = await agent.sessions.open({ principal: ann })
    await say(agent, byMail, 'old mail', mailer('ann@example.com', ann))
    await say(agent, both, 'old mail of both', mailer('ann@example.com', ann))
    await say(agent, both, 'old page of both')
    await runtime.clock.advance(8 * day)
    await say(agent, byMail, 'new mail', mailer('ann@example.com', ann))
    await runtime.clock.advance(3 * day)
    await agent.missives.applyRetention(operator)
    expect((await kept(agent)).map(short).filter((one) => one.startsWith('in'))).toEqual([
      'in sse received: old page of both',
      'in smtp received: new mail',
    ])
    expect(await textOfLog(context.store, byMail)).not.toContain('old mail')
    expect(await textOfLog(context.store, byMail)).toContain('new mail')
    // The page keeps it for longer: what was said in that session stays as long.
    expect(await textOfLog(context.store, both)).toContain('old mail of both')
    const { owner, originators } = await agent.sessions.view(byMail, ann)
    expect([owner, originators.length]).toEqual([ann, 1])
    // A session in which nothing has happened for so long is gone as a whole.
    await runtime.clock.advance(20 * day)
    await agent.missives.applyRetention(operator)
    expect(await textOfLog(context.store, both)).not.toContain('old')
    for (const session of [byMail, both]) {
      await expect(agent.sessions.view(session, ann)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    }
    expect(await kept(agent)).toEqual([])
    expect(await agent.missives.applyRetention(operator)).toBe(0)
  })

  test('is applied every day by itself', async () => {
    const runtime = simulated()
    const context = stores(runtime)
    const missives = { ...context.missives, retention: [{ keepMs: 2 * day }] }
    const agent = await startAgent({ data: { ...context, missives }, runtime })
    const session = await agent.sessions.open({ principal: ann })
    await say(agent, session, 'soon forgotten')
    await kept(agent)
    for (let n = 0; n < 3; n++) {
      await runtime.clock.advance(day + 60_000)
      for (let round = 0; round < 50; round++) await new Promise((resolve) => setImmediate(resolve))
    }
    await eventually(async () => (await kept(agent)).length === 0)
    expect(await textOfLog(context.store, session)).not.toContain('forgotten')
  })

  test('of one tenant is not another’s, and what no rule fits is kept', async () => {
    const runtime = simulated()
    const context = stores(runtime)
    const missives = { ...context.missives, retention: [{ keepMs: 2 * day, tenant: 'foreign' }] }
    const agent = await startAgent({ data: { ...context, missives }, runtime })
    const foreigner = { ...ann, tenant: 'foreign' }
    const session = await agent.sessions.open({ principal: ann })
    const foreign = await agent.sessions.open({ principal: foreigner })
    await say(agent, session, 'stays')
    await agent.sessions.post(foreign, { parts: [text('goes')], from: viewer(foreigner) }, foreigner)
    await eventually(async () => (await textOfLog(context.store, foreign)).includes('turnSettled'))
    await runtime.clock.advance(3 * day)
    await agent.missives.applyRetention(operator)
    expect(await textOfLog(context.store, foreign)).not.toContain('goes')
    expect(await kept(agent)).toHaveLength(2)
  })

  test('refuses rules that cannot be meant, and is for operators', async () => {
    const runtime = simulated()
    const context = stores(runtime)
    for (const keepMs of [0, -1, day, Number.NaN, Infinity]) {
      const missives = { ...context.missives, retention: [{ keepMs }] }
      await expect(startAgent({ data: { ...context, missives }, runtime })).rejects.toMatchObject({
        code: 'INVALID_CONFIGURATION',
      })
    }
    const agent = await startAgent({ data: context, runtime })
    await expect(agent.missives.applyRetention(ann)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await expect(agent.missives.collectArtifacts(ann)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await expect(agent.missives.rebuild(ann)).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })
})

describe('artifacts that nothing names', () => {
  const put = (artifacts: ArtifactStore, words: string, session?: string) =>
    artifacts.put(Buffer.from(words), {
      name: 'note.txt',
      mimeType: 'text/plain',
      tenant: 'default',
      ...(session !== undefined && { session }),
    })
  const part = (data: unknown) => ({ data, metadata: { partType: 'artifact' } })
  const isThere = async (artifacts: ArtifactStore, id: string) => (await artifacts.get(id, 'default')) !== undefined

  test('go after a grace period of a day, counted twice; those that a message or a tool names stay', async () => {
    const runtime = simulated()
    const context = stores(runtime)
    const agent = await startAgent({ data: context, runtime })
    const { artifacts } = context
    const session = await agent.sessions.open({ principal: ann })
    const [said, linked, lost] = [
      await put(artifacts, 'said'),
      await put(artifacts, 'linked'),
      await put(artifacts, 'lost'),
    ]
    await say(agent, session, [text('here'), part({ ...said })])
    await say(agent, session, `see /artifacts/${linked.artifactId}?expires=1`)
    const collect = () => agent.missives.collectArtifacts(operator)
    expect(await collect()).toBe(0)
    await runtime.clock.advance(day)
    // It is seen for the first time without a name: a user may be about to send it.
    expect(await collect()).toBe(0)
    await runtime.clock.advance(day - 1)
    expect(await collect()).toBe(0)
    const young = await put(artifacts, 'young')
    await runtime.clock.advance(1)
    expect(await collect()).toBe(1)
    expect(await isThere(artifacts, lost.artifactId)).toBe(false)
    for (const { artifactId } of [said, linked, young]) expect(await isThere(artifacts, artifactId)).toBe(true)
  })

  test('are spared by a message that comes while they are counted out, even at the last moment', async () => {
    const runtime = simulated()
    const context = stores(runtime)
    const agent = await startAgent({ data: context, runtime })
    const { artifacts } = context
    const session = await agent.sessions.open({ principal: ann })
    const [late, last, lost] = [
      await put(artifacts, 'late'),
      await put(artifacts, 'last'),
      await put(artifacts, 'lost'),
    ]
    await runtime.clock.advance(day)
    await agent.missives.collectArtifacts(operator)
    // It arrives after a day: the count begins anew should it ever be unnamed again.
    await say(agent, session, [text('late'), part({ ...late })])
    await runtime.clock.advance(day)
    // This one arrives while the collection goes through the artifacts.
    const list = artifacts.list.bind(artifacts)
    artifacts.list = async (query) => {
      const page = await list(query)
      await agent.sessions.post(session, { parts: [text('last'), part({ ...last })], from: viewer() }, ann)
      return page
    }
    expect(await agent.missives.collectArtifacts(operator)).toBe(1)
    expect(await isThere(artifacts, late.artifactId)).toBe(true)
    expect(await isThere(artifacts, last.artifactId)).toBe(true)
    expect(await isThere(artifacts, lost.artifactId)).toBe(false)
  })

  test('are collected by themselves only where that is asked for, and never those of the application', async () => {
    const runtime = simulated()
    const context = stores(runtime)
    const missives = {
      ...context.missives,
      collectArtifacts: { graceMs: 1_000 },
      keepArtifact: ({ session }: { session?: string }) => session === undefined,
    }
    await startAgent({ data: { ...context, missives }, runtime })
    const { artifacts } = context
    const brochure = await put(artifacts, 'our brochure')
    const lost = await put(artifacts, 'lost', 'sess_gone')
    for (let n = 0; n < 3; n++) {
      await runtime.clock.advance(day + 60_000)
      for (let round = 0; round < 50; round++) await new Promise((resolve) => setImmediate(resolve))
    }
    await eventually(async () => !(await isThere(artifacts, lost.artifactId)))
    expect(await isThere(artifacts, brochure.artifactId)).toBe(true)
  })

  test('go by themselves 30 days after they were found, if they are of a session; others stay', async () => {
    const runtime = simulated()
    const context = stores(runtime)
    await startAgent({ data: context, runtime })
    const { artifacts } = context
    const brochure = await put(artifacts, 'our brochure')
    const lost = await put(artifacts, 'lost', 'sess_gone')
    const pass = async (days: number) => {
      for (let n = 0; n < days; n++) {
        await runtime.clock.advance(day + 60_000)
        for (let round = 0; round < 50; round++) await new Promise((resolve) => setImmediate(resolve))
      }
    }
    await pass(50)
    expect(await isThere(artifacts, lost.artifactId)).toBe(true)
    await pass(20)
    await eventually(async () => !(await isThere(artifacts, lost.artifactId)))
    expect(await isThere(artifacts, brochure.artifactId)).toBe(true)
  })

  test('of a session that was forgotten for its age go too', async () => {
    const runtime = simulated()
    const context = stores(runtime)
    const missives = { ...context.missives, retention: [{ keepMs: 5 * day }] }
    const agent = await startAgent({ data: { ...context, missives }, runtime })
    const session = await agent.sessions.open({ principal: ann })
    const old = await put(context.artifacts, 'old')
    await say(agent, session, [text('old'), part({ ...old })])
    await runtime.clock.advance(3 * day)
    await say(agent, session, 'new')
    expect(await agent.missives.collectArtifacts(operator)).toBe(0)
    await runtime.clock.advance(3 * day)
    await agent.missives.applyRetention(operator)
    expect(await agent.missives.collectArtifacts(operator)).toBe(0)
    expect(await isThere(context.artifacts, old.artifactId)).toBe(true)
    await runtime.clock.advance(day)
    expect(await agent.missives.collectArtifacts(operator)).toBe(1)
    expect(await isThere(context.artifacts, old.artifactId)).toBe(false)
  })

  test('leave the disk', async () => {
    const folder = folderOfTest()
    const data = await openData({ folder })
    const agent = await startAgent({
      data: { ...data, missives: { ...data.missives, collectArtifacts: { graceMs: 0 } } },
    })
    const session = await agent.sessions.open({ principal: bob })
    const named = await put(data.artifacts, 'named')
    await put(data.artifacts, 'lost')
    await say(agent, session, [text('x'), part({ ...named })], viewer(bob))
    expect(await agent.missives.collectArtifacts(operator)).toBe(1)
    expect(readdirSync(join(folder, 'artifacts', 'kept'))).toEqual([named.artifactId])
    expect(readdirSync(join(folder, 'artifacts', 'bytes'))).toEqual([named.sha256])
  })
})

test('docs/retention.md names all keys that have a time', async () => {
  const page = readFileSync(new URL('../../docs/retention.md', import.meta.url), 'utf8')
  const times = { recordsMs: 1, threadsMs: 1 }
  const prefixes = [
    ...[...channelKeys(times), ...sessionKeys(times)].map(({ prefix }) => prefix),
    revokedPrefix,
    loginPrefix,
    oidcPrefix,
  ]
  // Those of mail have a kind after it.
  expect(prefixes.filter((prefix) => prefix !== 'email:' && !page.includes(`\`${prefix}`))).toEqual([])
})
