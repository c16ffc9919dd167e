import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { connect, openSession } from '@cool-ai/beach-client'
import { expect, test } from 'vitest'
import { startServer } from './support/server-process.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const guide = readFileSync(`${root}docs/peers.md`, 'utf8')

/** What a program of the guide prints. */
async function run(name: string, variables: Readonly<Record<string, string>> = {}): Promise<string[]> {
  const args = ['--conditions=@cool-ai/source', `examples/peers/${name}.ts`]
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...variables },
  })
  return stdout.trim().split('\n')
}

test.for(['harbour-actor.ts', 'harbour.ts', 'harbour-peer.ts', 'ask.ts', 'skipper-actor.ts', 'skipper.ts'])(
  '%s stands in the guide as it is',
  (name) => {
    const program = readFileSync(`${root}examples/peers/${name}`, 'utf8')
    expect(guide).toContain(`\`\`\`ts\n${program}\`\`\``)
  },
)

test('the two agents of the guide talk to each other', async (context) => {
  const variables = Object.fromEntries((await run('new-key')).map((line) => line.split('=') as [string, string]))
  const harbour = await startServer(context, { program: 'examples/peers/harbour.ts', variables })
  const known = { ...variables, HARBOUR_URL: `${harbour.url}/` }
  expect(await run('ask', known)).toEqual([
    'clarifying How long is your boat?',
    'complete ["For 12 m there are B7 and B9.",{"berths":["B7","B9"]}]',
    'suspended book_berth {"berth":"B7","price":"€40"}',
    'complete Booked: HB-1.',
  ])
  const stranger = run('ask', { HARBOUR_URL: `${harbour.url}/`, BEACH_PEER_HARBOUR_API_KEY: '' })
  await expect(stranger).rejects.toThrow(/PEER_FAILED|credential/)

  const skipper = await startServer(context, { program: 'examples/peers/skipper.ts', variables: known })
  const opened = await openSession({ url: skipper.url })
  const conversation = connect({ url: skipper.url, ...opened })
  context.onTestFinished(() => conversation.close())
  await conversation.send('A berth for 12 m')
  await expect
    .poll(() => conversation.stream.parts.find(({ partType }) => partType === 'response')?.text, { timeout: 20_000 })
    .toContain('For 12 m there are B7 and B9.')
})
