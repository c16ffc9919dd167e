import { parseArgs } from 'node:util'
import { killRun } from '../test/support/kill-run.ts'
import { freePort } from '../test/support/free-port.ts'
import { ServerProcess } from '../test/support/server-process.ts'

// Kills the travel example with `kill -9` again and again while it talks: npm run kill-test -- --conversations 50 --kills 30
const { values } = parseArgs({
  options: { conversations: { type: 'string', default: '50' }, kills: { type: 'string', default: '30' } },
})
const port = await freePort()
await using server = new ServerProcess({ program: 'examples/travel/start.mjs', port })
await server.start()
const report = await killRun(server, { conversations: Number(values.conversations), kills: Number(values.kills) })
for (const problem of report.problems) console.log(problem)
console.log(`${report.conversations} conversations, ${report.kills} kills, ${report.problems.length} problems`)
process.exitCode = report.problems.length === 0 ? 0 : 1
