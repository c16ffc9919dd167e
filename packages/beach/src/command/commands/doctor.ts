import { BeachError } from '@cool-ai/beach-core'
import type { Command } from 'commander'
import { plainOptions } from '../../earlier-options.ts'
import { loadConfig } from '../config/load-config.ts'
import type { BeachConfig } from '../config/define-config.ts'
import { checkData } from '../doctor/check-data.ts'
import { checkNode, checkVersions } from '../doctor/check-installation.ts'
import { checkMailDns } from '../doctor/check-mail-dns.ts'
import { checkSettings } from '../doctor/check-settings.ts'
import { ok, problem, type Finding } from '../doctor/checks.ts'
import { withExamples } from '../examples.ts'
import { exitCodes } from '../exit-codes.ts'
import { plainText } from '../plain-text.ts'
import { terminal } from '../terminal.ts'

interface DoctorFlags {
  readonly config?: string
  readonly mail?: string
  readonly dkim?: string
  readonly json?: boolean
}

export function configure(command: Command): void {
  command
    .description(
      'Checks what an agent needs: Node, versions of our packages, configuration, store, permissions, keys, secret, ' +
        'addresses, unsafe settings and, with --mail, DNS of the mail domain. It says what to do, and changes nothing. It ' +
        'ends with 1 when there is a problem; warnings do not count.',
    )
    .option('--config <file>', 'the configuration; beach.config.ts of the working folder if left out')
    .option('--mail <domain>', 'check MX, SPF, DMARC and DKIM of this domain too, by DNS')
    .option('--dkim <selector>', 'where the domain has its DKIM key')
    .option('--json', 'print the findings as JSON')
    .action(run)
  withExamples(command, [
    ['beach doctor', 'the agent of this folder'],
    ['beach doctor --mail example.com --dkim mail', 'with the DNS of its mail'],
  ])
}

async function run({ config: path, mail, dkim, json }: DoctorFlags): Promise<void> {
  const findings = [checkNode(), checkVersions(), ...(await ofConfiguration(path))]
  if (mail !== undefined) findings.push(...(await checkMailDns(mail, dkim)))
  if (findings.some(({ status }) => status === 'problem')) process.exitCode = exitCodes.failed
  if (json) return terminal.json({ findings })
  for (const finding of findings) show(finding)
}

async function ofConfiguration(path: string | undefined): Promise<Finding[]> {
  let config: BeachConfig
  try {
    config = (await loadConfig({ path, command: 'doctor' })).config
  } catch (error) {
    if (!(error instanceof BeachError)) throw error
    return [problem('configuration', error.message, 'Mend it; the checks that need it were left out.')]
  }
  const { data = config.store } = config
  const named = typeof data === 'string' ? data : data !== undefined && 'folder' in data ? data.folder : undefined
  return [
    ok('configuration', 'beach.config.ts can be read.'),
    ...(await checkData(named, config.agent.id, plainOptions(config).encryption)),
    ...checkSettings(config, named),
  ]
}

function show({ check, status, message, advice }: Finding): void {
  const marks = {
    ok: terminal.green('ok     '),
    warning: terminal.yellow('warning'),
    problem: terminal.yellow('PROBLEM'),
  }
  terminal.line(`${marks[status]}  ${check.padEnd(13)}  ${plainText(message)}`)
  if (advice !== undefined) terminal.line(`${' '.repeat(24)}${plainText(advice)}`)
}
