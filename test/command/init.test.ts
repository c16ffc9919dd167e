import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync, chmodSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connect, openSession } from '@cool-ai/beach-client'
import type { BrowserContext } from 'playwright-core'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { freePort } from '@cool-ai/beach-testing/free-port'
import { newBrowser } from '../support/browser.ts'
import { runBeach, scratchProject } from '../support/beach-command.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const scratch = scratchProject()
const cwd = scratch.folder
afterAll(() => scratch[Symbol.dispose]())
const read = (...path: string[]) => readFileSync(join(cwd, ...path), 'utf8')

/** Installs what the project needs from this checkout: its packages, and the real command under its name. */
function install(project: string): void {
  const modules = join(project, 'node_modules')
  mkdirSync(join(modules, '.bin'), { recursive: true })
  mkdirSync(join(modules, '@cool-ai'))
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name !== '.bin' && name !== '@cool-ai') symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
  for (const name of readdirSync(join(root, 'node_modules/@cool-ai'))) {
    if (name.startsWith('beach'))
      symlinkSync(join(root, 'node_modules/@cool-ai', name), join(modules, '@cool-ai', name))
  }
  for (const name of ['vite', 'tsc']) symlinkSync(join(root, 'node_modules/.bin', name), join(modules, '.bin', name))
  if (existsSync(join(project, 'page'))) writeFileSync(join(project, 'page/vite.config.js'), viteConfig)
  const bin = join(root, 'packages/beach/src/command/beach.ts')
  const beach = join(modules, '.bin/beach')
  writeFileSync(beach, `#!/bin/sh\nexec "${process.execPath}" --conditions=@cool-ai/source "${bin}" "$@"\n`)
  chmodSync(beach, 0o755)
}

/** Vite finds our packages in their sources; it takes this file before the one of the template. */
const viteConfig = `import { defaultClientConditions } from 'vite'
import config from './vite.config.ts'
export default { ...config, resolve: { conditions: ['@cool-ai/source', ...defaultClientConditions] } }`

/** Runs a script of the project's package.json, as npm does; releases run them by npm itself. */
function run(project: string, script: string, env: Record<string, string> = {}) {
  const { scripts } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>
  }
  const PATH = [join(project, 'node_modules/.bin'), join(process.execPath, '..'), process.env.PATH].join(delimiter)
  const child = spawn(scripts[script] ?? '', {
    cwd: project,
    shell: true,
    detached: true,
    env: { ...process.env, PATH, NODE_OPTIONS: '--conditions=@cool-ai/source', ANTHROPIC_API_KEY: '', ...env },
  })
  let text = ''
  const waiting = new Set<() => void>()
  const onOutput = (chunk: Buffer) => {
    text += chunk.toString()
    waiting.forEach((look) => look())
  }
  child.stdout.on('data', onOutput)
  child.stderr.on('data', onOutput)
  const done = new Promise<{ code: number | null; text: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, text })),
  )
  const said = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(text)
        if (found !== null) resolve(found)
      }
      waiting.add(look)
      look()
      void done.then(({ code }) => reject(new Error(`${script} ended with ${code}, without ${pattern}: ${text}`)))
    })
  // The shell does not pass signals on: the whole group ends.
  return { done, said, stop: () => child.exitCode === null && process.kill(-(child.pid ?? 0), 'SIGTERM') }
}

/** Says something to an agent; resolves once something that it answers, or asks, has these words. */
async function answered(url: string, text: string, words: string): Promise<void> {
  const conversation = connect({ ...(await openSession({ url })), url })
  try {
    const isAnswered = new Promise<void>((resolve) => {
      conversation.on('change', ({ parts }) => {
        const ofAgent = parts.filter(({ role, open }) => role === 'agent' && !open)
        if (JSON.stringify(ofAgent).includes(words)) resolve()
      })
    })
    await conversation.send(text)
    await isAnswered
  } finally {
    conversation.close()
  }
}

describe.each([
  ['minimal', 'start', 'What time is it in Lisbon?', 'It is '],
  // It builds its page too.
  ['react', 'dev', 'What time is it in Lisbon?', 'It is '],
  ['mail', 'start', 'Pay invoice A1 for 40', 'approval'],
  ['two-agents', 'start', 'A day in Corfu', 'Tomorrow in Corfu'],
  ['flows', 'start', 'book a table', 'table'],
])('the template %s', (template, script, said, words) => {
  const project = join(cwd, template)

  test('becomes a project that passes its tests and its evaluations', async () => {
    const made = await runBeach(['init', template, '--template', template, '--no-install'], { cwd })
    expect(made).toMatchObject({ code: 0, err: '' })
    expect(made.out).toContain('npm start')
    expect(read(template, 'package.json')).not.toContain('"*"')
    expect(read(template, '.gitignore')).toContain('.env')
    install(project)
    const [tested, evaluated] = await Promise.all([run(project, 'test').done, run(project, 'eval').done])
    expect(tested.code, tested.text).toBe(0)
    expect(tested.text).toMatch(/pass [1-9]/)
    expect(evaluated.code, evaluated.text).toBe(0)
    expect(evaluated.text).toMatch(/([1-9]) of \1 passed/)
  })

  test('starts offline and without a key, and answers', async (context) => {
    const agent = run(project, script, { PORT: '0', ...(template === 'two-agents' && (await peerPort())) })
    onTestFinished(async () => {
      agent.stop()
      expect((await agent.done).text, 'a new project has nothing to warn of').not.toContain('"level":"warn"')
    })
    const [, url = ''] = await agent.said(/listens on (http:\S+)\n[\s\S]*Inspector: /)
    expect((await (await fetch(url)).text()).toLowerCase()).toContain('<!doctype html>')
    await answered(url, said, words)
    if (template === 'flows') await bookTable(await newBrowser(context), url)
    if (template !== 'react') return
    const page = join(project, 'page/chat.tsx')
    writeFileSync(page, readFileSync(page, 'utf8').replace('<h1>My agent</h1>', '<h1>Another name</h1>'))
    await agent.said(/starting again[\s\S]*listens on/)
    expect(
      readdirSync(join(project, 'dist/assets'))
        .map((name) => read(template, 'dist/assets', name))
        .join(''),
    ).toContain('Another name')
  })
})

/** What a guest does on the page of the template. */
async function bookTable(browser: BrowserContext, url: string): Promise<void> {
  const page = await browser.newPage()
  await page.goto(url)
  await page.getByRole('button', { name: 'A table for four' }).click()
  await page.getByRole('button', { name: 'Book it' }).click()
  await page.getByText(/It is booked: T-\w+-4/).waitFor()
  expect(await page.getByRole('log').innerText()).not.toContain('{')
  await page.getByRole('button', { name: 'OK' }).click()
  await page.locator('.card').waitFor({ state: 'detached' })
}

async function peerPort(): Promise<Record<string, string>> {
  const port = await freePort()
  return { PORT: String(await freePort()), WEATHER_PORT: String(port), WEATHER_URL: `http://127.0.0.1:${port}/` }
}

test('a folder that is not empty stays as it is', async () => {
  mkdirSync(join(cwd, 'full'))
  writeFileSync(join(cwd, 'full', 'mine.txt'), 'mine')
  const { code, err } = await runBeach(['init', 'full'], { cwd })
  expect(code).toBe(2)
  expect(err).toContain('is not empty')
  expect(readdirSync(join(cwd, 'full'))).toEqual(['mine.txt'])
})

test('the package manager that started the command is used', async () => {
  const { code, out } = await runBeach(['init', 'with-pnpm', '--no-install', '--json'], {
    cwd,
    env: { npm_config_user_agent: 'pnpm/10.1.0 npm/? node/v24.0.0 linux x64' },
  })
  expect(code).toBe(0)
  expect(JSON.parse(out)).toMatchObject({ packageManager: 'pnpm', isInstalled: false })
  const withBun = await runBeach(['init', 'with-bun', '--no-install', '--package-manager', 'bun'], { cwd })
  expect(withBun.out).toContain('bun install\n  bun start\n  bun run test\n')
})

test('a template that does not exist is said, with those that do', async () => {
  const { code, err } = await runBeach(['init', 'x', '--template', 'mial'], { cwd })
  expect(code).toBe(2)
  expect(err).toContain('minimal, react, mail, two-agents, flows')
})

test('the versions in the templates are those of this checkout', () => {
  const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>
  }
  const templates = join(root, 'packages/beach/templates')
  for (const name of readdirSync(templates).filter((entry) => !entry.includes('.'))) {
    const { scripts, dependencies, devDependencies } = JSON.parse(
      readFileSync(join(templates, name, 'package.json'), 'utf8'),
    ) as Record<'scripts' | 'dependencies' | 'devDependencies', Record<string, string>>
    // An old Node says that it finds no tests; the command says which Node is needed, and ends with 1.
    expect(scripts.test).toMatch(/^beach --version && node --test /)
    for (const [dependency, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      const expected = /^@(?:cool-ai|intentflow)\//.test(dependency) ? '*' : own.devDependencies[dependency]
      expect([name, dependency, version]).toEqual([name, dependency, expected])
    }
  }
})
