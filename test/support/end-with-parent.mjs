// Loaded into servers that tests start. Their standard input is a pipe that nobody writes to: it ends when the test
// process is gone, however it went, and no server outlives its test.
process.stdin.once('end', () => process.kill(process.pid, 'SIGKILL'))
process.stdin.resume()
process.stdin.unref()
