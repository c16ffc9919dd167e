import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const program = `
  import { registerHooks } from 'node:module'
  const loaded = []
  registerHooks({
    load(url, context, next) {
      loaded.push(url)
      return next(url, context)
    },
  })
  await import('@cool-ai/beach-email')
  console.log(JSON.stringify(loaded))
`

test('what only receiving mail takes is loaded by an agent that receives some', async () => {
  const run = ['--conditions=@cool-ai/source', '--input-type=module', '-e', program]
  const { stdout } = await promisify(execFile)(process.execPath, run)
  const loaded = JSON.parse(stdout) as string[]
  expect(loaded.some((path) => path.includes('/nodemailer/'))).toBe(true)
  for (const late of ['mailauth', 'imapflow', 'smtp-server']) {
    expect(
      loaded.filter((path) => path.includes(`/node_modules/${late}/`)),
      late,
    ).toEqual([])
  }
})
