import { readFileSync } from 'node:fs'
import type { Difference, ReplayReport, TurnDifference } from '@cool-ai/beach-core/ports'
import type { Command } from 'commander'
import { replay } from '../../replay/replay.ts'
import { loadConfig } from '../config/load-config.ts'
import { withExamples } from '../examples.ts'
import { exitCodes } from '../exit-codes.ts'
import { plainLine, plainText } from '../plain-text.ts'
import { terminal } from '../terminal.ts'
import { wholeNumber } from '../whole-number.ts'

interface ReplayFlags {
  readonly config?: string
  readonly data?: string
  readonly from?: string
  readonly turns?: string
  readonly model?: string
  readonly instructions?: string
  readonly actor?: string
  readonly json?: boolean
}

export function configure(command: Command): void {
  command
    .description(
      'Runs a stored session again with the agent of beach.config.ts, in memory, and says what is different. Tools answer ' +
        'from the record; nothing is sent. The agent may run meanwhile. Ends with 0 if the log is the same, with 1 if not.',
    )
    .argument('<session>', 'the id of the session')
    .option('--data <data>', 'a data folder or a database; that of the configuration if left out')
    .option('--config <file>', 'the configuration; beach.config.ts of the working folder if left out')
    .option('--from <turn>', 'the turn to begin with; the first one if left out')
    .option('--turns <count>', 'how many turns; all that follow if left out')
    .option('--model <id>', 'a model that answers anew, such as anthropic/claude-sonnet-4-5')
    .option('--instructions <file>', 'a file with other instructions; the model answers anew')
    .option('--actor <name>', 'the actor that gets them; all that a model plays if left out')
    .option('--json', 'print the report as JSON')
    .action(run)
  withExamples(command, [
    ['beach replay sess_4f2a', 'does the code of today lead to the same log?'],
    ['beach replay sess_4f2a --from turn_8h6 --model anthropic/claude-haiku-4-5', 'another model, from a turn on'],
    ['beach replay sess_4f2a --instructions prompt.md --turns 1', 'other instructions, in the first turn only'],
  ])
}

async function run(session: string, flags: ReplayFlags): Promise<void> {
  const { config: path, data, json, instructions: file, from, model, actor } = flags
  const turns = wholeNumber('--turns', flags.turns, 999_999)
  const { config } = await loadConfig({ path, command: 'replay' })
  const options = data === undefined ? config : { ...config, data }
  const instructions = file === undefined ? undefined : readFileSync(file, 'utf8')
  const report = await replay(options, { session, from, turns, model, instructions, actor })
  if (json) terminal.json(report)
  else show(report)
  if (!report.same) process.exitCode = exitCodes.failed
}

function show({ same, session, turns, events, problems }: ReplayReport): void {
  const changed = turns.filter(({ change }) => change !== 'same')
  for (const turn of changed) showTurn(turn)
  for (const problem of problems) terminal.line(terminal.dim(`logged: ${plainLine(problem)}`))
  const counted = `${turns.length} ${turns.length === 1 ? 'turn' : 'turns'}, ${events.recorded} events`
  if (same) terminal.line(`${terminal.green('Same:')} ${session} leads to the same log again (${counted}).`)
  else terminal.line(`${terminal.red('Different:')} ${changed.length} of ${counted} in the record.`)
}

function showTurn({ turnId, change, asked, end, parts, tools, states, others, notRecorded }: TurnDifference): void {
  terminal.line(`${terminal.bold(plainLine(asked))}  ${terminal.dim(turnId)}`)
  if (change === 'added') terminal.line('  + a turn that the record does not have')
  if (change === 'removed') terminal.line('  - a turn that the replay does not come to')
  if (end.change === 'changed') {
    terminal.line(`  ~ ends ${end.recorded?.turnState} → ${end.replayed?.turnState}`)
  }
  showAll(tools, ({ name, args, outcome }) => `${name} ${JSON.stringify(args)} → ${outcome}`)
  showAll(states, (state) => state)
  showAll(parts, ({ text, data, metadata }) => `${metadata.partType}: ${text ?? JSON.stringify(data)}`)
  if (others.length > 0) terminal.line(`  ~ in the log: ${others.join(', ')}`)
  for (const { kind, name, args } of notRecorded) {
    const given = args === undefined ? '' : ` ${JSON.stringify(args)}`
    terminal.line(`  ${terminal.yellow('! not recorded:')} ${kind} ${plainLine(name + given)}`)
  }
  terminal.line()
}

function showAll<Thing>(all: readonly Difference<Thing>[], words: (thing: Thing) => string): void {
  for (const { change, recorded, replayed, text } of all) {
    if (change === 'same') continue
    if (text !== undefined) {
      terminal.line(`  ~ ${text.map((piece) => marked(piece.in, plainText(piece.text))).join('')}`)
      continue
    }
    if (recorded !== undefined) terminal.line(`  ${terminal.red('-')} ${plainLine(words(recorded))}`)
    if (replayed !== undefined) terminal.line(`  ${terminal.green('+')} ${plainLine(words(replayed))}`)
  }
}

function marked(place: 'both' | 'recorded' | 'replayed', text: string): string {
  if (place === 'both') return text
  return place === 'recorded' ? terminal.red(`[-${text}-]`) : terminal.green(`{+${text}+}`)
}
