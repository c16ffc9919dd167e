import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ownVersion } from '../own-package.ts'
import { ok, problem, type Finding } from './checks.ts'

export function checkNode(version = process.versions.node): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isNew = major > 22 || (major === 22 && minor >= 18)
  if (isNew) return ok('node', `Node ${version}.`)
  return problem('node', `Node ${version} is too old.`, 'Install Node 22.18 or later.')
}

/** All of our packages are released together, and work together in one version. */
export function checkVersions(folder = process.cwd()): Finding {
  const found = new Map<string, string[]>([[ownVersion(), ['@cool-ai/beach (this command)']]])
  for (const modules of modulesAbove(folder)) {
    for (const scope of ['@cool-ai', '@intentflow']) {
      const place = join(modules, scope)
      if (!existsSync(place)) continue
      for (const entry of readdirSync(place)) {
        const manifest = join(place, entry, 'package.json')
        if (!existsSync(manifest)) continue
        const {
          name,
          version,
          private: isPrivate,
        } = JSON.parse(readFileSync(manifest, 'utf8')) as {
          readonly name: string
          readonly version: string
          readonly private?: boolean
        }
        if (isPrivate !== true) found.set(version, [...(found.get(version) ?? []), name])
      }
    }
  }
  if (found.size === 1) return ok('versions', `All packages of Beach are ${ownVersion()}.`)
  const listed = [...found].map(([version, names]) => `${version}: ${names.join(', ')}`).join('; ')
  return problem(
    'versions',
    `Packages of Beach have different versions. ${listed}.`,
    'Install them all in one version.',
  )
}

function modulesAbove(folder: string): string[] {
  const parent = dirname(folder)
  return [join(folder, 'node_modules'), ...(parent === folder ? [] : modulesAbove(parent))]
}
