import { chaosRun } from '../test/chaos/chaos-run.ts'
import { plantedBugs } from '../test/simulation/planted-bugs.ts'
import { PostgresServer } from '../test/support/postgres-server.ts'
import { scriptOptions } from './options.ts'

const { store, processes, conversations, seconds, seed, bug, output } = scriptOptions({
  command: 'npm run chaos',
  about:
    'Holds conversations with an agent on several processes, which are killed and frozen, and whose database is\n' +
    'restarted, and checks from outside what came of them. It ends with 1 when there are problems.',
  options: {
    store: { about: 'what the processes share', default: 'postgres', oneOf: ['postgres', 'sqlite'] },
    processes: { about: 'how many processes', default: 4 },
    conversations: { about: 'how many conversations', default: 500 },
    seconds: { about: 'how long conversations begin and faults happen', default: 60 },
    seed: { about: 'decides who says what, and which faults happen', default: 1 },
    bug: {
      about: 'a bug that each process has, and that the run must find',
      default: undefined,
      oneOf: Object.keys(plantedBugs),
    },
    output: { about: 'prints what the processes have said', default: false },
  },
})
await using postgres = store === 'postgres' ? await PostgresServer.start() : undefined
const report = await chaosRun({ processes, conversations, seconds, seed, postgres, bug })
const { faults, problems } = report
if (output) console.log(report.output)
for (const problem of problems) console.log(problem)
console.log(
  `${store}, ${processes} processes, seed ${seed}: ${report.conversations} conversations in ${report.seconds.toFixed(1)} s, ` +
    `${faults.kill} × kill -9, ${faults.freeze} × SIGSTOP, ${faults.restart} restarts of the database; ` +
    `${report.runs} tool runs, ${report.unknown} with an unknown outcome, ${report.deliveries} deliveries, ` +
    `${report.repeats} of them again under their key; ${problems.length} problems`,
)
process.exitCode = problems.length === 0 ? 0 : 1
