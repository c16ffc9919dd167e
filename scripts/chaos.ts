import { parseArgs } from 'node:util'
import { chaosRun } from '../test/chaos/chaos-run.ts'
import { PostgresServer } from '../test/support/postgres-server.ts'

// Conversations with an agent on several processes that are killed and frozen, and whose database is restarted:
// npm run chaos -- --store postgres --processes 4 --conversations 500 --seconds 60 --seed 1
const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'postgres' },
    processes: { type: 'string', default: '4' },
    conversations: { type: 'string', default: '500' },
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    bug: { type: 'string' },
    output: { type: 'boolean', default: false },
  },
})
const [processes, conversations, seconds, seed] = [
  values.processes,
  values.conversations,
  values.seconds,
  values.seed,
].map(Number)
const numbers = [processes, conversations, seconds, seed]
if (!numbers.every((number) => Number.isInteger(number) && Number(number) > 0)) {
  console.error('Give --processes, --conversations, --seconds and --seed as whole numbers from 1 on.')
  process.exit(1)
}
if (values.store !== 'postgres' && values.store !== 'sqlite') {
  console.error(`There is no store '${values.store}' to run on. Give --store postgres or --store sqlite.`)
  process.exit(1)
}
await using postgres = values.store === 'postgres' ? await PostgresServer.start() : undefined
const report = await chaosRun({
  processes: processes ?? 4,
  conversations: conversations ?? 500,
  seconds: seconds ?? 60,
  seed: seed ?? 1,
  postgres,
  bug: values.bug,
})
const { faults, problems } = report
if (values.output) console.log(report.output)
for (const problem of problems) console.log(problem)
console.log(
  `${values.store}, ${processes} processes, seed ${seed}: ${report.conversations} conversations in ${report.seconds.toFixed(1)} s, ` +
    `${faults.kill} × kill -9, ${faults.freeze} × SIGSTOP, ${faults.restart} restarts of the database; ` +
    `${report.runs} tool runs, ${report.unknown} with an unknown outcome, ${report.deliveries} deliveries, ` +
    `${report.repeats} of them again under their key; ${problems.length} problems`,
)
process.exitCode = problems.length === 0 ? 0 : 1
