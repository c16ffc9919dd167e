import { systemRuntime } from '@cool-ai/beach-core'
import type { Command } from 'commander'
import { encryptData, rotateKeys } from '../../data/encrypt-data.ts'
import { plainOptions } from '../../earlier-options.ts'
import { findConfig, loadConfig } from '../config/load-config.ts'
import { dataArgument, dataFor, type DataChoice } from '../data/data-choice.ts'
import { withExamples } from '../examples.ts'
import { terminal } from '../terminal.ts'

/** Adds `data encrypt` and `data rotate`. */
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
