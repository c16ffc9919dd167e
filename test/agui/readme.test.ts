import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { HttpAgent } from '@ag-ui/client'
import { defineActor, type BeachOptions } from '@cool-ai/beach'
import { expect, test } from 'vitest'
import { startAgent } from './agent.ts'

const readme = readFileSync(new URL('../../packages/agui/README.md', import.meta.url), 'utf8')
const [, clientTools = ''] = readme.split('## Client tools')
const [page = '', agent = ''] = [...clientTools.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, code = '']) => code)

/** Runs a sample with what it imports. */
async function run(code: string, imported: Readonly<Record<string, unknown>>, result = 'undefined'): Promise<unknown> {
  const body = stripTypeScriptTypes(code).replaceAll(/^import .*$/gm, '')
  // oxlint-disable-next-line typescript/no-implied-eval -- the samples of the README are run as they are
  const sample = new Function(...Object.keys(imported), `return (async () => { ${body}\nreturn ${result} })()`)
  return sample(...Object.values(imported)) as unknown
}

test('the page of the README runs the tool that the actor of the README calls', async () => {
  let options: BeachOptions | undefined
  await run(agent, { defineActor, createBeach: (given: BeachOptions) => (options = given) })
  const { url } = await startAgent(options)
  const document = { body: { style: { background: '' } } }
  const code = page.replace('http://127.0.0.1:4747', url)
  const { messages } = (await run(code, { HttpAgent, document }, 'page')) as HttpAgent
  expect(document.body.style.background).toBe('Make it red, please.')
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
  expect(messages.at(-1)?.content).toBe('The page is Make it red, please..')
})
