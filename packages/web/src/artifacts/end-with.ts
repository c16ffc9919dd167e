/**
 * The stream, which also ends, and cancels its source, when the signal aborts: a server may notice that its client has
 * disconnected before it has begun to read, and would then never cancel.
 */
export function endWith(stream: ReadableStream<Uint8Array>, signal: AbortSignal): ReadableStream<Uint8Array> {
  const reader = stream.getReader()
  const drop = async () => reader.cancel().catch(() => {})
  let abort = () => {}
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        abort = () => {
          controller.close()
          void drop()
        }
        if (signal.aborted) abort()
        else signal.addEventListener('abort', abort, { once: true })
      },
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (signal.aborted) return
          if (!done) return controller.enqueue(value)
          signal.removeEventListener('abort', abort)
          controller.close()
        } catch (error) {
          signal.removeEventListener('abort', abort)
          if (!signal.aborted) controller.error(error)
        }
      },
      async cancel() {
        signal.removeEventListener('abort', abort)
        await drop()
      },
    },
    { highWaterMark: 0 },
  )
}
