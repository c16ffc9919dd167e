import { EnvelopeStream, type StreamPart } from '@cool-ai/beach-protocol/stream'
import { cancelTurn, connect, decide, openSession, Refused, sendMessage, sessionExists } from './connection.ts'
import { render, type Pending } from './render.ts'

const remembered = 'beach.session'

const conversation = element('conversation', HTMLElement)
const form = element('compose', HTMLFormElement)
const text = element('text', HTMLTextAreaElement)
const stop = element('stop', HTMLButtonElement)
const connection = element('connection', HTMLElement)

const session = await resumeOrOpen()
const stream = new EnvelopeStream()
const pending: Pending[] = []
const decided = new Set<string>()

stream.on('change', show)
connect(session, stream, (online) => {
  connection.textContent = online ? 'connected' : 'connecting'
  connection.classList.toggle('online', online)
})

form.addEventListener('submit', (event) => {
  event.preventDefault()
  const message = text.value.trim()
  if (message === '') return
  text.value = ''
  void send({ key: crypto.randomUUID(), text: message })
})

text.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
  event.preventDefault()
  form.requestSubmit()
})

stop.addEventListener('click', () => {
  const running = stream.turns.filter((turn) => !turn.settled)
  // A refusal means that there is nothing left to stop.
  for (const { turnId } of running) cancelTurn(session, turnId).catch(() => {})
  // The button is about to vanish, and would take the focus with it.
  text.focus()
})

element('fresh', HTMLButtonElement).addEventListener('click', () => {
  localStorage.removeItem(remembered)
  location.reload()
})

async function send(message: Pending): Promise<void> {
  pending.push(message)
  show()
  try {
    await sendMessage(session, message.text, message.key)
  } catch (error) {
    message.problem = error instanceof Refused ? error.message : 'This message could not be sent.'
    show()
  }
}

function show(): void {
  const arrived = new Set(stream.parts.map((part) => part.metadata.clientId))
  const waiting = pending.filter((message) => !arrived.has(message.key))
  pending.splice(0, pending.length, ...waiting)
  const { parts, turns } = stream
  render(conversation, { parts, turns, pending: waiting }, { isPending, decide: decideOnce })
  stop.hidden = !stream.turns.some((turn) => !turn.settled)
}

/** An approval is open while its turn waits; one that was just decided here no longer is. */
function isPending({ turnId, data }: StreamPart): boolean {
  const turn = stream.turns.find((other) => other.turnId === turnId)
  const { approvalId } = data as { approvalId: string }
  return turn?.settled === false && turn.turnState === 'suspended' && !decided.has(approvalId)
}

function decideOnce(approvalId: string, decision: 'granted' | 'denied'): void {
  decided.add(approvalId)
  show()
  // A refusal means that somebody else has decided; the turn goes on by that.
  decide(session, approvalId, decision).catch(() => {})
  text.focus()
}

async function resumeOrOpen(): Promise<string> {
  const known = localStorage.getItem(remembered)
  if (known !== null && (await sessionExists(known).catch(() => true))) return known
  const opened = await openSession()
  localStorage.setItem(remembered, opened)
  return opened
}

function element<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id)
  if (!(found instanceof kind)) throw new Error(`The page has no #${id}.`)
  return found
}
