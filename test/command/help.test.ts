import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { wholeProgram } from '../../packages/beach/src/command/program.ts'
import { runBeach } from '../support/beach-command.ts'

const program = await wholeProgram()
type Command = typeof program
const page = readFileSync(new URL('../../docs/command.md', import.meta.url), 'utf8')

/** The commands that do something, with what they are called with. */
function leaves(command: Command, path: string): [usage: string, command: Command][] {
  if (command.commands.length > 0) return command.commands.flatMap((one) => leaves(one, `${path} ${one.name()}`))
  const args = command.registeredArguments.map((one) => {
    const name = `${one.name()}${one.variadic ? '...' : ''}`
    return one.required ? `<${name}>` : `[${name}]`
  })
  return [[[path, ...args].join(' '), command]]
}
const all = leaves(program, 'beach')

test('docs/command.md has every command with its arguments, and no other', () => {
  const documented = [...page.matchAll(/^\| `(beach [^`]+)` \|/gm)].map(([, usage = '']) => usage)
  expect(documented.toSorted()).toEqual(all.map(([usage]) => usage).toSorted())
})

test.each(all)('%s has a sentence, an example and described options', (usage, command) => {
  let help = ''
  command.configureOutput({ writeOut: (text) => (help += text), writeErr: () => {} })
  command.outputHelp()
  expect(help).toContain('Examples:')
  expect(help).toMatch(/beach [\s\S]*\.\n/)
  expect(command.summary() || command.description()).not.toBe('')
  for (const option of command.options) expect(option.description, `${usage} ${option.flags}`).not.toBe('')
})

test('every option that the page names exists', () => {
  const named = new Set([...page.matchAll(/`(--[a-z-]+)/g)].map(([, name]) => name))
  const known = new Set(
    all.flatMap(([, command]) => command.options.map(({ long }) => (long?.startsWith('--no-') ? long : long))),
  )
  expect([...named].filter((name) => name !== '--help' && !known.has(name))).toEqual([])
})

test('help and version end with 0, and have no colour where there is no terminal', async () => {
  const help = await runBeach(['--help'], { cwd: '.', env: { FORCE_COLOR: undefined, NO_COLOR: undefined } })
  expect(help).toMatchObject({ code: 0, err: '' })
  expect(help.out).not.toContain('\u001B')
  for (const [, command] of all) expect(help.out).toContain(command.parent === program ? command.name() : '')
  expect((await runBeach(['--version'], { cwd: '.' })).out).toMatch(/^\d+\.\d+\.\d+\n$/)
  expect((await runBeach(['help', 'backup'], { cwd: '.' })).out).toContain('--keep')
})
