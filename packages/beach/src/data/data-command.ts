#!/usr/bin/env node
import process from 'node:process'

// The earlier name of some commands of `beach`; it works in this release.
const groups: Readonly<Record<string, readonly string[]>> = {
  check: ['data', 'check'],
  rescue: ['data', 'rescue'],
  migrate: ['data', 'migrate'],
  export: ['export'],
  import: ['import'],
}
const [name = '', ...rest] = process.argv.slice(2)
const now = Object.hasOwn(groups, name) ? groups[name] : undefined
console.error(`beach-data is called beach now: beach ${(now ?? ['data', '--help']).join(' ')}`)
if (now === undefined || rest.length === 0) process.exitCode = 2
else {
  const { runCommand } = await import('../command/run-command.ts')
  await runCommand([...now, ...rest])
}
