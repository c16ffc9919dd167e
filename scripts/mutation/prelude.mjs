import { Worker } from 'node:worker_threads'

// Loaded before everything else into the process that runs the tests: says which mutant is tried (0: none), and which
// ones were reached. Whatever asks too often is in an endless loop: an error ends most of these.
// `rounds` counts the rounds of the event loop while a test is run, and is 0 otherwise.
const rounds = new Int32Array(new SharedArrayBuffer(4))
const tried = Number(process.env.BEACH_MUTANT ?? 0)
const state = { tried, reached: new Set(), asked: 0, maxAsked: Infinity, rounds }
globalThis.mutants = state
globalThis.mutant = (id) => {
  if (state.tried === 0) state.reached.add(id)
  if (++state.asked > state.maxAsked) throw new Error('This mutant comes to no end.')
  return state.tried === id
}

// A mutant may keep its process busy for ever. Another thread ends it when it works on without a further round, or when
// the process that started it is gone.
const watch = `
  const { workerData: { rounds, parent, maxMicros } } = require('node:worker_threads')
  const used = () => { const { user, system } = process.cpuUsage(); return user + system }
  let [before, since] = [0, used()]
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL')
    if (rounds[0] !== before || rounds[0] === 0) [before, since] = [rounds[0], used()]
    else if (used() - since > maxMicros) process.kill(process.pid, 'SIGKILL')
  }, 500)
`
const workerData = { rounds, parent: process.ppid, maxMicros: 2_000_000 }
new Worker(watch, { eval: true, execArgv: [], workerData }).unref()
