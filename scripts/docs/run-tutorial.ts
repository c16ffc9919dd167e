import { execFile, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { samplesIn } from './samples.ts'

export interface TutorialPlace {
  /** The Markdown file whose named samples are the reader's project. */
  readonly page: string
  /** Where the project is made, or, with its packages, already is. */
  readonly folder: string
  /** The port of the agent, which the links in its mails have. */
  readonly port: number
  /** The program of the command `beach`. */
  readonly command: string
  /** What `node` is started with, such as the condition by which a checkout finds sources. */
  readonly nodeArgs?: readonly string[]
}

/**
 * Does what the tutorial tells its reader: writes its files, runs its test and its evaluation, starts its agent, asks for a refund and
 * approves by the link in the manager's mail; asks for another, kills the agent while it waits, starts it again and
 * approves. Fails with a sentence where the reader would not get what the page promises.
 */
export async function runTutorial({ page, folder, port, command, nodeArgs = [] }: TutorialPlace): Promise<void> {
  mkdirSync(folder, { recursive: true })
  for (const { name, code } of samplesIn(page, ['ts', 'json', 'yaml'])) {
    if (name === undefined) continue
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), code)
  }
  // A failure has the output in its error.
  const run = (...args: readonly string[]) =>
    promisify(execFile)(process.execPath, [...nodeArgs, ...args], { cwd: folder, env: rehearsed })
  await Promise.all([run('--test'), run(command, 'eval')])
  const place = { folder, port, nodeArgs }
  const first = await startedAgent(place)
  const visitor = await newVisitor(port)
  await visitor.say('Refund order A17')
  await approve(await first.printed(/http\S+\/approvals\/by-mail\/\S+/))
  await visitor.reads('It is refunded.')
  await visitor.say('Refund order B42')
  const link = await first.printed(/http\S+\/approvals\/by-mail\/\S+/)
  await first.kill()
  const second = await startedAgent(place)
  await approve(link)
  await visitor.reads('It is refunded.')
  await second.kill()
}

const rehearsed = { ...process.env, BEACH_MODEL: undefined }

async function startedAgent({ folder, port, nodeArgs }: Required<Omit<TutorialPlace, 'page' | 'command'>>) {
  const env = { ...rehearsed, PORT: String(port) }
  const child = spawn(process.execPath, [...nodeArgs, 'start.ts'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<void>((resolve) => void child.on('close', () => resolve()))
  let problems = ''
  child.stderr.on('data', (piece: Buffer) => (problems += piece.toString()))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  /** The next thing of this form that the program prints. */
  const printed = async (form: RegExp): Promise<string> => {
    for (;;) {
      const { done, value } = await lines.next()
      if (done === true) throw new Error(`The tutorial's program ended without printing ${form}. ${problems}`)
      const [found] = form.exec(value) ?? []
      if (found !== undefined) return found
    }
  }
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  await printed(/Chat with the refund desk/)
  return { printed, kill }
}

/** A page of the agent, as far as the tutorial needs one: it posts, and follows the stream of events. */
async function newVisitor(port: number) {
  const origin = `http://127.0.0.1:${port}`
  const { sessionId, token } = (await (await fetch(`${origin}/sessions`, { method: 'POST' })).json()) as {
    readonly sessionId: string
    readonly token: string
  }
  const session = `${origin}/sessions/${sessionId}`
  const authorization = `Bearer ${token}`
  let cursor: string | undefined
  return {
    async say(text: string) {
      const headers = { authorization, 'content-type': 'application/json' }
      const { ok, status } = await fetch(`${session}/messages`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ text }),
      })
      if (!ok) throw new Error(`The tutorial's agent answered a message with ${status}.`)
    },
    /** Waits for a part with this text, after all that was read before. */
    async reads(text: string) {
      const headers = { authorization, ...(cursor === undefined ? {} : { 'last-event-id': cursor }) }
      const { body } = await fetch(`${session}/events`, { headers })
      let stream = ''
      for await (const piece of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
        stream += piece
        const end = stream.indexOf('\n\n', stream.indexOf('"turnState":"complete"'))
        if (!stream.includes(text) || end < 0) continue
        cursor = [...stream.matchAll(/^id: ?(.+)$/gm)].at(-1)?.[1]
        return
      }
      throw new Error(`The tutorial's agent did not say: ${text}`)
    },
  }
}

/** Opens the page behind a link of a mail, and presses Approve. */
async function approve(link: string): Promise<void> {
  const page = await (await fetch(link)).text()
  const form = /name="form" value="([^"]+)"/.exec(page)?.[1] ?? ''
  const { ok, status } = await fetch(link, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: new URL(link).origin },
    body: new URLSearchParams({ form, decision: 'granted' }),
  })
  if (!ok) throw new Error(`The page behind the link of the mail answered ${status}.`)
}
