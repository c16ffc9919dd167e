import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { templates } from '../../packages/beach/src/command/init/templates.ts'
import { loopbackRegistry, type Packed } from './loopback-registry.ts'

/**
 * Makes a project of each template by the packed command, as a new user does, with the tarballs in place of what will be
 * published, and runs its tests, evaluations and check of types.
 */
export async function tryTemplates(project: string, packages: readonly Packed[]): Promise<void> {
  await using registry = await loopbackRegistry(packages)
  const folder = mkdtempSync(join(tmpdir(), 'beach-templates-'))
  const env = {
    ...process.env,
    ...registry.env,
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    ANTHROPIC_API_KEY: '',
    npm_config_prefer_offline: 'true',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
  }
  // Not synchronously: this process answers as the registry meanwhile. A failure has the output in its error.
  const run = (command: string, args: readonly string[], cwd: string) =>
    promisify(execFile)(command, args, { cwd, env })
  try {
    const beach = join(project, 'node_modules/@cool-ai/beach/dist/command/beach.js')
    const tried = Object.keys(templates).map(async (name) => {
      await run(process.execPath, [beach, 'init', name, '--template', name], folder)
      for (const script of ['test', 'eval', 'check']) await run('npm', ['run', script], join(folder, name))
      await run('npm', ['run', '--if-present', 'build'], join(folder, name))
    })
    await Promise.all(tried)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
