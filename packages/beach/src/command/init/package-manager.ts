import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

export const packageManagers = ['npm', 'pnpm', 'yarn', 'bun'] as const
export type PackageManager = (typeof packageManagers)[number]

const lockFiles: Readonly<Record<string, PackageManager>> = {
  'pnpm-lock.yaml': 'pnpm',
  'yarn.lock': 'yarn',
  'bun.lock': 'bun',
  'bun.lockb': 'bun',
  'package-lock.json': 'npm',
}

/** The package manager that started the command, else the one of a project around the folder, else npm. */
export function packageManagerFor(folder: string, userAgent = process.env.npm_config_user_agent): PackageManager {
  const started = packageManagers.find((name) => userAgent?.startsWith(`${name}/`))
  if (started !== undefined && started !== 'npm') return started
  for (let place = folder; ; place = dirname(place)) {
    const lock = Object.keys(lockFiles).find((name) => existsSync(join(place, name)))
    if (lock !== undefined) return lockFiles[lock] ?? 'npm'
    if (dirname(place) === place) return 'npm'
  }
}
