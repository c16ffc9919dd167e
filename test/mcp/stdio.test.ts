import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, onTestFinished, test } from 'vitest'
import { demoToday } from '../support/demo-today.ts'
import { answerOf, eras, stockClient, textsOf, type Era, type Person } from './support.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const tool = 'ask_example_travel'

/** The travel example as an MCP host starts it, on pipes. */
async function startTravel(era: Era, person?: Person) {
  const folder = mkdtempSync(join(tmpdir(), 'beach-mcp-'))
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['--conditions=@cool-ai/source', 'examples/travel/mcp.mjs'],
    cwd: root,
    env: { PATH: process.env.PATH ?? '', BEACH_DATA: folder, BEACH_SCRIPT_MS: '0', DEMO_TODAY: demoToday },
    stderr: 'ignore',
  })
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const client = stockClient(era, person)
  await client.connect(transport)
  const say = (message: string, conversationId?: string) =>
    client.callTool({ name: tool, arguments: { message, ...(conversationId !== undefined && { conversationId }) } })
  return { client, say, pid: transport.pid ?? 0 }
}

describe.each(Object.keys(eras) as Era[])('the travel example on pipes, with a client of the %s era', (era) => {
  test('is asked, asks back, brings data, asks for an approval and makes files', async () => {
    const asked: string[] = []
    const { client, say } = await startTravel(era, (message) => {
      asked.push(message.split('\n')[0] ?? '')
      return { action: 'accept', content: message.startsWith('Did') ? { answer: 'Gatwick' } : { decision: 'granted' } }
    })
    const rome = await say('flights from London to Rome')
    expect(asked).toEqual(['Did you mean the flight from Gatwick or Heathrow?'])
    expect(textsOf(rome)[0]?.text).toMatch(/to Rome/)
    const { conversationId, parts } = answerOf(rome)
    expect(parts.find(({ metadata }) => metadata.partType === 'domain-data')?.metadata.kind).toBe('flight-results')
    await say('add BA 2043', conversationId)
    const booked = await say('book it', conversationId)
    expect(asked[1]).toMatch(/^Approval needed: Book BA 2043 London Gatwick to Corfu, .*, 2 passengers, £374\.00$/)
    expect(textsOf(booked)[0]?.text).toMatch(/Booked\. Your reference is ET-/)
    const itinerary = await say('make an itinerary', conversationId)
    const links = itinerary.content.flatMap((block) => (block.type === 'resource_link' ? [block] : []))
    const calendar = links.find(({ mimeType }) => mimeType?.startsWith('text/calendar'))
    const { contents } = await client.readResource({ uri: calendar?.uri ?? '' })
    expect(contents[0]).toMatchObject({ text: expect.stringMatching(/^BEGIN:VCALENDAR/) as string })
    const { resources } = await client.listResources()
    expect(resources.map(({ name }) => name)).toEqual([conversationId])
  })

  test('ends when its client has gone', async () => {
    const { client, pid } = await startTravel(era)
    expect(isThere(pid)).toBe(true)
    await client.close()
    expect(isThere(pid)).toBe(false)
  })
})

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
