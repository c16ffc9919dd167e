/** The response, whose end (read, cancelled or failed) is told once; one without a body has ended already. */
export function whenDone(response: Response, done: () => void): Response {
  const { body, status, headers } = response
  if (body === null) {
    done()
    return response
  }
  const reader = body.getReader()
  const watched = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done: isOver, value } = await reader.read()
          if (!isOver) return controller.enqueue(value)
          done()
          controller.close()
        } catch (error) {
          done()
          controller.error(error)
        }
      },
      async cancel(reason) {
        done()
        await reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(watched, { status, headers })
}
