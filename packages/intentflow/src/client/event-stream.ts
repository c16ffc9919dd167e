/** Reads the data of server-sent events, cut anywhere: each is JSON. */
export interface EventReader {
  readonly push: (bytes: Uint8Array) => void
}

export function eventReader(onData: (value: unknown) => void): EventReader {
  const decoder = new TextDecoder()
  let rest = ''
  let data: string[] = []
  const line = (text: string) => {
    if (text.startsWith('data:')) data.push(text.slice(5).replace(/^ /, ''))
    if (text !== '' || data.length === 0) return
    const whole = data.join('\n')
    data = []
    onData(JSON.parse(whole))
  }
  return {
    push(bytes) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const each of lines) line(each.replace(/\r$/, ''))
    },
  }
}
