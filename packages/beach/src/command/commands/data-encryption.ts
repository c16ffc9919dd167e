import { systemRuntime } from '@cool-ai/beach-core'
import type { Command } from 'commander'
import { encryptData, rotateKeys, shredTenant } from '../../data/encrypt-data.ts'
import { plainOptions } from '../../earlier-options.ts'
import { findConfig, loadConfig } from '../config/load-config.ts'
import { confirm } from '../confirm.ts'
import { dataArgument, dataFor, type DataChoice } from '../data/data-choice.ts'
import { withExamples } from '../examples.ts'
import { plainLine } from '../plain-text.ts'
import { terminal } from '../terminal.ts'

/** Adds `data encrypt`, `data rotate` and `data shred`. */
export function configureEncryption(command: Command): void {
  const encrypt = dataArgument(command.command('encrypt'))
    .summary('encrypt what was stored before the data was encrypted')
    .description(
      'Encrypts what was stored before the data was encrypted, by the keys of BEACH_ENCRYPTION_KEYS or of the ' +
        'configuration. Agents that have the keys may run meanwhile. It goes on where it was cut off. Artifacts from before ' +
        'stay as they are.',
    )
    .option('--json', 'print the result as JSON')
    .action(runEncrypt)
  withExamples(encrypt, [['beach data encrypt .beach', 'once, after the agent was started with keys']])
  const rotate = dataArgument(command.command('rotate'))
    .summary('replace the key that the data is encrypted by')
    .description(
      'Wraps the keys of the data by the first key of BEACH_ENCRYPTION_KEYS, or by the key that the KMS of the configuration ' +
        'uses now. No data is written anew. The agent may run meanwhile if it has both keys.',
    )
    .option('--json', 'print the result as JSON')
    .action(runRotate)
  withExamples(rotate, [
    ['BEACH_ENCRYPTION_KEYS="2027:… 2026:…" beach data rotate .beach', 'then take the old key out of the list'],
  ])
  const shred = dataArgument(command.command('shred'))
    .summary('throw the key of a tenant away, and all of its content with it')
    .description(
      'Throws the key of a tenant away that has one of its own: what is encrypted by it cannot be read again. Stop the agent ' +
        'first. For backups, also take the key out of BEACH_ENCRYPTION_KEYS, or delete it in the KMS.',
    )
    .requiredOption('--tenant <name>', 'whose content')
    .option('--yes', 'do not ask')
    .option('--json', 'print the result as JSON')
    .action(runShred)
  withExamples(shred, [['beach data shred .beach --tenant acme', 'when the tenant has left']])
}

async function optionsFor(data: string | undefined, choice: DataChoice) {
  const named = await dataFor(data, choice)
  const hasConfig = choice.config !== undefined || findConfig() !== undefined
  const config = hasConfig ? (await loadConfig({ path: choice.config, command: 'data' })).config : undefined
  const encryption = config && plainOptions(config).encryption
  return { data: named, encryption: encryption === false ? undefined : encryption, runtime: systemRuntime() }
}

async function runEncrypt(data: string | undefined, choice: DataChoice): Promise<void> {
  const done = await encryptData(await optionsFor(data, choice))
  if (choice.json === true) return terminal.json(done)
  const { logs, events, values } = done
  terminal.line(`Encrypted: ${events} events in ${logs} logs, ${values} values of keys.`)
  terminal.note('The kept messages are made anew, encrypted, when the agent starts.')
}

async function runRotate(data: string | undefined, choice: DataChoice): Promise<void> {
  const { before, now } = await rotateKeys(await optionsFor(data, choice))
  if (choice.json === true) return terminal.json({ before, now })
  const old = before.filter((name) => name !== now)
  terminal.line(`The data is encrypted by the key ${now}.`)
  if (old.length > 0) terminal.note(`It does not need ${old.join(', ')} any more; backups from before do.`)
}

interface ShredFlags extends DataChoice {
  readonly tenant: string
  readonly yes?: boolean
}

async function runShred(data: string | undefined, { tenant, yes, ...choice }: ShredFlags): Promise<void> {
  const shown = plainLine(tenant)
  const asked = await optionsFor(data, choice)
  await confirm(`Make everything of the tenant ${shown} unreadable for good?`, yes)
  await shredTenant({ ...asked, tenant })
  if (choice.json === true) return terminal.json({ shredded: tenant })
  terminal.line(`The key of the tenant ${shown} is thrown away.`)
  terminal.note('The kept messages of the others are made anew when the agent starts.')
}
