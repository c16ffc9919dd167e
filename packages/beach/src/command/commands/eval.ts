import { readFileSync, writeFileSync } from 'node:fs'
import { BeachError, systemRuntime } from '@cool-ai/beach-core'
import {
  junitOf,
  KeptEvaluations,
  tableOf,
  type CaseResult,
  type EvaluationReport,
} from '@cool-ai/beach-inspect/evaluations'
import type { Command } from 'commander'
import { isUrl } from '../../data/moving/postgres-data.ts'
import { evaluationPlace } from '../../evaluations/evaluation-place.ts'
import { evaluate, type NamedVariant } from '../../evaluations/evaluate.ts'
import { loadEvaluations } from '../../evaluations/load-evaluations.ts'
import { plainOptions, type PlainOptions } from '../../earlier-options.ts'
import { openData } from '../../open-data.ts'
import { loadConfig } from '../config/load-config.ts'
import { dataFor } from '../data/data-choice.ts'
import { withExamples } from '../examples.ts'
import { exitCodes } from '../exit-codes.ts'
import { plainLine, plainText } from '../plain-text.ts'
import { terminal } from '../terminal.ts'
import { wholeNumber } from '../whole-number.ts'

interface EvalFlags {
  readonly config?: string
  readonly runs?: string
  readonly only?: string
  readonly compare?: string
  readonly judge?: string
  readonly parallel?: string
  readonly junit?: string
  readonly keep?: string | true
  readonly json?: boolean
}

export function configure(command: Command): void {
  command
    .argument('[files...]', 'files and folders of evaluations, YAML or TypeScript; the folder evaluations if left out')
    .description(
      'Runs evaluations, each with an agent of its own in memory whose channels are off. Tools run as they do in the agent, ' +
        'unless an evaluation has recorded results for them. The exit code is 1 when one of them fails.',
    )
    .option('--config <file>', 'the configuration; beach.config.ts of the working folder if left out')
    .option('--only <words>', 'only evaluations whose name or tag has these words')
    .option('--runs <number>', 'how often each is run, in place of its own number')
    .option('--compare <what=one,other>', 'variants side by side: model=<id>,<id> or instructions=<file>,<file>')
    .option('--judge <model>', 'the id of the model that judges texts by rubrics')
    .option('--parallel <number>', 'how many runs go on at the same time; 4 if left out')
    .option('--junit <file>', 'write the results as JUnit XML too')
    .option('--keep [data]', 'keep the results in the data of the agent, where the inspector shows them')
    .option('--json', 'print the results as JSON')
    .action(run)
  withExamples(command, [
    ['beach eval', 'all evaluations of the folder evaluations'],
    ['beach eval evaluations/booking.yaml --runs 5', 'those of one file, five times each'],
    ['beach eval --compare model=anthropic/claude-sonnet-4-5,openai/gpt-5.1', 'two models side by side'],
    ['beach eval --junit results.xml --keep', 'for a build server, and for the inspector'],
  ])
}

const runtime = systemRuntime()

async function run(files: readonly string[], flags: EvalFlags): Promise<void> {
  const { config: path, compare, judge, junit, keep, json = false } = flags
  // What is wrong with the input is said before anything runs.
  const [runs, parallel] = [wholeNumber('--runs', flags.runs), wholeNumber('--parallel', flags.parallel)]
  const variants = compare === undefined ? undefined : variantsOf(compare)
  const evaluations = chosen(await loadEvaluations(files.length === 0 ? ['evaluations'] : files), flags.only)
  const now = runtime.clock.now()
  const loaded = await loadConfig({ path, command: 'eval', evaluation: await evaluationPlace(now, 1) })
  const data = keep === undefined ? undefined : await dataFor(keep === true ? undefined : keep, { config: path })
  const report = await evaluate({
    agent: loaded.make,
    evaluations,
    runs,
    parallel,
    variants,
    judge,
    runtime,
    onCase: ({ name, passed }) => {
      if (!json && process.stderr.isTTY)
        terminal.note(terminal.dim(`${passed ? 'passed' : 'failed'}  ${plainLine(name)}`))
    },
  })
  if (junit !== undefined) writeFileSync(junit, junitOf(report))
  if (data !== undefined) {
    const gone = await kept(report, data, plainOptions(loaded.config))
    for (const one of new Set(gone.map(({ name, file }) => file ?? name)))
      terminal.note(
        `The session that ${plainLine(one)} was made from was erased: only figures are kept. Delete it too.`,
      )
  }
  if (json) terminal.json(report)
  else terminal.line(plainText(tableOf(report)))
  process.exitCode = report.passed ? exitCodes.done : exitCodes.failed
}

function chosen<One extends { readonly name: string; readonly tags?: readonly string[] | undefined }>(
  evaluations: readonly One[],
  words: string | undefined,
): readonly One[] {
  if (words === undefined) return evaluations
  const wanted = words.toLowerCase()
  const found = evaluations.filter(({ name, tags = [] }) =>
    [name, ...tags].some((text) => text.toLowerCase().includes(wanted)),
  )
  if (found.length > 0) return found
  throw wrong(`No evaluation has ${JSON.stringify(words)} in its name or tags.`)
}

/** Such as `model=a,b` and `instructions=one.md,other.md`. */
function variantsOf(text: string): Record<string, NamedVariant> {
  const at = text.indexOf('=')
  const what = text.slice(0, Math.max(0, at))
  const names = text
    .slice(at + 1)
    .split(',')
    .map((name) => name.trim())
  if ((what !== 'model' && what !== 'instructions') || names.length < 2 || names.includes('')) {
    throw wrong(`'${text}' is nothing to compare. Write model=<id>,<id> or instructions=<file>,<file>.`)
  }
  if (new Set(names).size < names.length) throw wrong(`'${text}' names the same twice.`)
  return Object.fromEntries(
    names.map((name) => [name, what === 'model' ? { model: name } : { instructions: readFileSync(name, 'utf8') }]),
  )
}

/** Keeps a report in the agent's data, also while the agent runs. */
async function kept(
  report: EvaluationReport,
  data: string,
  { tenant = 'default', encryption }: Pick<PlainOptions, 'tenant' | 'encryption'>,
): Promise<CaseResult[]> {
  const opened = await openData({ ...(isUrl(data) ? { store: data } : { folder: data }), encryption, runtime })
  try {
    return await new KeptEvaluations(opened.store, tenant).keep(report)
  } finally {
    await opened.missives.store.close()
    await opened.missives.identities.close()
    await opened.artifacts.close?.()
    await opened.store.close()
  }
}

function wrong(message: string): BeachError {
  return new BeachError('BAD_REQUEST', message)
}
