import { connect, type Socket } from 'node:net'
import { machineTime } from '../measure.ts'

/** A request to open so many viewers, to count what reaches them, or to let them go. */
export type ViewerOrder =
  | { readonly open: readonly ViewerPlace[]; readonly url: string }
  | { readonly receive: number }
  | 'close'

/** Where viewers look. */
export interface ViewerPlace {
  readonly path: string
  readonly token?: string
  readonly count: number
}

const sockets: Socket[] = []
let wanted = 0
let delays: number[] = []
const arrived = new Map<string, number>()

/** Viewers in a process of their own: bare sockets, so that they cost little and the server's memory is its own. */
process.on('message', (order: ViewerOrder) => {
  if (order === 'close') {
    for (const socket of sockets.splice(0)) socket.destroy()
    process.send?.({ closed: true })
  } else if ('open' in order) {
    openAll(order.open, new URL(order.url)).then(
      () => process.send?.({ open: sockets.length }),
      (error: unknown) => process.send?.({ problem: String(error) }),
    )
  } else {
    wanted = order.receive
    delays = []
    report()
  }
})
process.on('disconnect', () => process.exit(0))
process.send?.({ url: '' })

/** A few at a time: the queue of connections that wait to be accepted is short. */
async function openAll(places: readonly ViewerPlace[], url: URL): Promise<void> {
  const all = places.flatMap((place) => Array.from({ length: place.count }, () => place))
  const next = all.values()
  const lane = async () => {
    for (const place of next) sockets.push(await open(place, url))
  }
  await Promise.all(Array.from({ length: 64 }, lane))
}

function open({ path, token }: ViewerPlace, { hostname, port, host }: URL): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    const authorization = token === undefined ? '' : `Authorization: Bearer ${token}\r\n`
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAccept: text/event-stream\r\n${authorization}\r\n`)
    socket.once('error', reject)
    socket.once('data', (first) => {
      if (!first.toString('latin1', 0, 12).endsWith('200')) return reject(new Error(first.toString()))
      let rest = ''
      socket.on('data', (chunk) => (rest = receive(rest + chunk.toString('latin1'))))
      resolve(socket)
    })
  })
}

/** Notes that one more viewer has the parts that were spoken at the times between marks; gives back what is not whole. */
function receive(text: string): string {
  let end = 0
  for (const match of text.matchAll(/@([\d.]+)@/g)) {
    end = match.index + match[0].length
    arrive(match[1] ?? '')
  }
  const start = text.indexOf('@', end)
  return start === -1 ? '' : text.slice(start)
}

function arrive(spokenAt: string): void {
  const count = (arrived.get(spokenAt) ?? 0) + 1
  arrived.set(spokenAt, count)
  if (count < sockets.length) return
  arrived.delete(spokenAt)
  delays.push(machineTime() - Number(spokenAt))
  report()
}

function report(): void {
  if (wanted === 0 || delays.length < wanted) return
  wanted = 0
  process.send?.({ delays })
}
