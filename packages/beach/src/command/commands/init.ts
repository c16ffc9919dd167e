import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { basename, relative, resolve } from 'node:path'
import { Option, type Command } from 'commander'
import { withExamples } from '../examples.ts'
import { exitCodes } from '../exit-codes.ts'
import { makeProject } from '../init/make-project.ts'
import { packageManagerFor, packageManagers, type PackageManager } from '../init/package-manager.ts'
import { isTemplate, templates } from '../init/templates.ts'
import { terminal } from '../terminal.ts'

interface InitFlags {
  readonly template: string
  readonly packageManager?: PackageManager
  readonly install: boolean
  readonly json?: boolean
}

export function configure(command: Command): void {
  const listed = Object.entries(templates).map(([name, is]) => `  ${name.padEnd(12)}${is}`)
  command
    .description(
      'Makes a project: an agent that works offline and without keys, with a configuration, a test, types and a README. A ' +
        'folder that is not empty is left as it is.',
    )
    .argument('[folder]', 'where it goes; the working folder if left out', '.')
    .addOption(
      new Option('--template <name>', 'what it begins with').choices(Object.keys(templates)).default('minimal'),
    )
    .addOption(
      new Option('--package-manager <name>', 'what installs the packages; found out if left out').choices(
        packageManagers,
      ),
    )
    .option('--no-install', 'do not install the packages')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', `\nTemplates:\n${listed.join('\n')}`)
    .action(run)
  withExamples(command, [
    ['beach init my-agent', 'then: cd my-agent && npm start'],
    ['beach init clerk --template mail', 'approvals by mail'],
    ['beach init --template two-agents --no-install', 'in the working folder, without installing'],
  ])
}

async function run(given: string, { template, install, json, packageManager }: InitFlags): Promise<void> {
  const folder = resolve(given)
  const manager = packageManager ?? packageManagerFor(folder)
  if (!isTemplate(template)) return
  makeProject(folder, template, manager)
  const isInstalled = install && (await installed(folder, manager))
  if (install && !isInstalled) process.exitCode = exitCodes.failed
  if (json) return terminal.json({ folder, template, packageManager: manager, isInstalled })
  const place = relative(process.cwd(), folder)
  terminal.line(`${terminal.green('Made')} ${basename(folder)}: ${templates[template]}.`)
  if (install && !isInstalled) terminal.note(`Its packages could not be installed. Run \`${manager} install\` there.`)
  const steps = [...(place === '' ? [] : [`cd ${place}`]), ...(isInstalled ? [] : [`${manager} install`])]
  // `bun test` is a test runner of Bun's own.
  const scripts = [`${manager} start`, manager === 'bun' ? 'bun run test' : `${manager} test`]
  terminal.line(`\nNext:\n${[...steps, ...scripts].map((line) => `  ${line}`).join('\n')}`)
  terminal.line('\nREADME.md says what is where; the documentation is in node_modules/@cool-ai/beach/dist/docs.')
}

/** Its output is said about the work, so it goes to the standard error. */
async function installed(folder: string, manager: PackageManager): Promise<boolean> {
  const child = spawn(manager, ['install'], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  })
  try {
    const [code] = (await once(child, 'exit')) as [number | null]
    return code === 0
  } catch {
    return false
  }
}
