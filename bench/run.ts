import { availableParallelism, cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { a2aBench } from './a2a.ts'
import { checkRatios, updateRatios } from './check.ts'
import { encryptionBench } from './encryption.ts'
import { flowsBench } from './flows.ts'
import { growthBench } from './growth.ts'
import { inspectBench } from './inspect.ts'
import { installBench } from './install.ts'
import { latencyBench } from './latency.ts'
import { longSessionBench } from './long-session.ts'
import { mcpBench } from './mcp.ts'
import { partsOf, table, type BenchOptions, type Figure } from './measure.ts'
import { parserFigures } from './parser.ts'
import { peersBench } from './peers.ts'
import { postgresBench } from './postgres.ts'
import { protocolBench } from './protocol.ts'
import { storeBench } from './store.ts'
import { telemetryBench } from './telemetry.ts'
import { turnBench } from './turn.ts'
import { fanOutBench, viewersBench } from './viewers.ts'

const benches: Readonly<Record<string, (options: BenchOptions) => Promise<Figure[]>>> = {
  store: storeBench,
  turn: turnBench,
  encryption: encryptionBench,
  telemetry: telemetryBench,
  latency: latencyBench,
  viewers: viewersBench,
  'fan-out': fanOutBench,
  session: longSessionBench,
  a2a: a2aBench,
  mcp: mcpBench,
  flows: flowsBench,
  postgres: postgresBench,
  parser: parserFigures,
  install: async () => {
    await installBench()
    return []
  },
  inspect: async (options) => {
    await inspectBench(options)
    return []
  },
  peers: async (options) => {
    await peersBench(options, values)
    return []
  },
  growth: async (options) => {
    await growthBench(options)
    return []
  },
  protocol: async (options) => {
    // It prints its own lines: most of them are costs without another side.
    await protocolBench(options)
    return []
  },
}

/** What `check` compares with the held ratios. */
const checked = [storeBench, turnBench, mcpBench]

const usage = `npm run bench -- [names] [options]

Benches: ${Object.keys(benches).join(', ')}; all but those that take minutes when left out.
'check', alone, compares ratios with bench/held-ratios.json; with --update it writes them.

  --quick         once, to see that they run; figures say nothing then
  --only <name>   of peers: this one, by the beginning of its name; may be given again
  --rounds <n>    of peers: how many rounds
  --json <file>   of peers: also writes all figures there
  --page          of peers: writes docs/performance.md from the figures of before, and measures nothing
`

const { values, positionals } = given()

function given() {
  try {
    const read = parseArgs({
      allowPositionals: true,
      options: {
        help: { type: 'boolean' },
        quick: { type: 'boolean' },
        update: { type: 'boolean' },
        only: { type: 'string', multiple: true },
        rounds: { type: 'string' },
        json: { type: 'string' },
        page: { type: 'boolean' },
      },
    })
    if (read.values.help !== true) return read
    console.log(usage)
    process.exit(0)
  } catch (error) {
    console.error(`${error instanceof Error ? error.message.split('. ')[0] : String(error)}.\n\n${usage}`)
    process.exit(1)
  }
}

// The release measures what it has packed, and needs no second build in a short run. Those that write
// `docs/performance.md` take minutes: they are run by their names.
const byName = values.quick === true ? ['install'] : ['peers', 'growth']
const usual = Object.keys(benches).filter((name) => !byName.includes(name))
const names = positionals.length > 0 ? positionals : usual
const check = positionals.length === 1 && positionals[0] === 'check'
const unknown = check ? undefined : names.find((name) => !Object.hasOwn(benches, name))
if (unknown !== undefined) {
  console.error(`There is no bench '${unknown}'. There are: ${Object.keys(benches).join(', ')}; and 'check', alone.`)
  process.exit(1)
}

console.log(
  `Node ${process.version}, ${availableParallelism()} cores (${cpus()[0]?.model.trim()}), ${process.platform}`,
)
console.log('Medians of several rounds; ratio = Beach : bare; lowest and highest are the ratios of single rounds.\n')
if (check && values.update === true) await updateRatios(checked)
else if (check) process.exitCode = (await checkRatios(checked)) ? 0 : 1
else {
  const quick = values.quick === true
  const figures = await partsOf({ quick }, names, async (name) => (await benches[name]?.({ quick })) ?? [])
  if (figures.length > 0) console.log(table(figures))
}
