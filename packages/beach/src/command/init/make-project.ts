import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { BeachError } from '@cool-ai/beach-core'
import { ownFile, ownVersion } from '../own-package.ts'
import type { PackageManager } from './package-manager.ts'
import type { TemplateName } from './templates.ts'

interface Manifest {
  name: string
  scripts: Record<string, string>
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
}

/** Copies a template into an empty or new folder, and writes the versions of our packages into it. */
export function makeProject(folder: string, template: TemplateName, manager: PackageManager): void {
  if (existsSync(folder) && readdirSync(folder).some((name) => name !== '.git')) {
    throw new BeachError('BAD_REQUEST', `The folder ${folder} is not empty. Name a new one; nothing was changed.`)
  }
  mkdirSync(folder, { recursive: true })
  cpSync(ownFile(`templates/${template}`), folder, {
    recursive: true,
    filter: (file) => basename(file) !== 'node_modules',
  })
  // npm leaves files of this name out of packages.
  renameSync(join(folder, 'gitignore'), join(folder, '.gitignore'))
  renameSync(join(folder, 'env.example'), join(folder, '.env.example'))
  const file = join(folder, 'package.json')
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as Manifest
  manifest.name = packageName(basename(folder))
  const version = ownVersion()
  for (const list of [manifest.dependencies, manifest.devDependencies]) {
    for (const [name, wanted] of Object.entries(list)) if (wanted === '*') list[name] = version
  }
  for (const [name, script] of Object.entries(manifest.scripts)) {
    manifest.scripts[name] = script.replaceAll('npm run', `${manager} run`)
  }
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`)
}

/** The folder's name as npm accepts it. */
function packageName(name: string): string {
  return (
    name
      .toLowerCase()
      .replaceAll(/[^a-z0-9._-]+/g, '-')
      .replaceAll(/^[._-]+|[._-]+$/g, '') || 'my-agent'
  )
}
