/** The parent's side of a server under measurement: it says where it listens, and on request what it has used. */
export function control(url: string): void {
  process.on('message', (question) => {
    if (question === 'heap') {
      globalThis.gc?.()
      const { heapUsed: heap, rss: resident } = process.memoryUsage()
      process.send?.({ heap, resident })
    } else process.send?.({ cpu: process.cpuUsage(), resident: process.memoryUsage.rss() })
  })
  // The parent is gone, or wants this server to be.
  process.on('disconnect', () => process.exit(0))
  process.send?.({ url })
}
