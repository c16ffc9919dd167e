import module from 'node:module'

// Loaded into servers that tests start. Their standard input is a pipe that ends when the test process is gone, however it
// went, and no server outlives its test. What is written to it says that the server has started: Node keeps then what it has
// compiled, for the next start; otherwise it does so at the end, which a server that is killed does not have.
process.stdin.once('end', () => process.kill(process.pid, 'SIGKILL'))
process.stdin.on('data', () => module.flushCompileCache?.())
process.stdin.unref()
