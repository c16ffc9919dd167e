import { killRun } from '../test/support/kill-run.ts'
import { freePort } from '../test/support/free-port.ts'
import { ServerProcess } from '../test/support/server-process.ts'
import { scriptOptions } from './options.ts'

const { conversations, kills } = scriptOptions({
  command: 'npm run kill-test',
  about: 'Kills the travel example with `kill -9` again and again while it talks.',
  options: {
    conversations: { about: 'how many conversations', default: 50 },
    kills: { about: 'how many kills', default: 30 },
  },
})
const port = await freePort()
await using server = new ServerProcess({ program: 'examples/travel/start.mjs', port })
await server.start()
const report = await killRun(server, { conversations, kills })
for (const problem of report.problems) console.log(problem)
console.log(`${report.conversations} conversations, ${report.kills} kills, ${report.problems.length} problems`)
process.exitCode = report.problems.length === 0 ? 0 : 1
