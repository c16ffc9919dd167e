#!/usr/bin/env node
// Nothing else is imported before the version is known: an older Node has not even the modules that the others import.
import process from 'node:process'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `Beach needs Node 22.18 or later; this is ${process.versions.node}. Install a newer Node and try again.`,
  )
  process.exitCode = 1
} else {
  const { runCommand } = await import('./run-command.ts')
  await runCommand(process.argv.slice(2))
}
