import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { failureOf, guarded } from './guarded.test-helper.ts'
import { loopbackServer, loopbackTlsServer } from './loopback-server.test-helper.ts'
import { selfSigned } from './self-signed.test-helper.ts'

const toLoopback = async () => ['127.0.0.1']

describe('an origin that is allowed', () => {
  test('is reached, and its answer is one of the platform’s', async () => {
    const server = await loopbackServer((_, response) => response.setHeader('x-kind', 'plain').end('hello'))
    const fetch = guarded({ allow: [server.origin] })
    const response = await fetch(`${server.origin}/path?q=1`)
    expect(response).toBeInstanceOf(Response)
    expect(response).toMatchObject({ status: 200, url: `${server.origin}/path?q=1`, redirected: false })
    expect(response.headers.get('x-kind')).toBe('plain')
    expect(await response.text()).toBe('hello')
  })

  test('is meant exactly: another port is another origin', async () => {
    const server = await loopbackServer((_, response) => response.end())
    const fetch = guarded({ allow: ['http://127.0.0.1:1', `http://localhost:${server.port}`] })
    expect(await failureOf(fetch(server.origin))).toMatchObject({
      code: 'ADDRESS_REFUSED',
      details: { reason: 'not-https' },
    })
    expect(server.connections()).toBe(0)
  })

  test('may be allowed for one request', async () => {
    const server = await loopbackServer((_, response) => response.end('once'))
    const fetch = guarded()
    expect(await (await fetch(server.origin, { guard: { allow: [server.origin] } })).text()).toBe('once')
    await expect(fetch(server.origin)).rejects.toMatchObject({ code: 'ADDRESS_REFUSED' })
  })

  test.each([
    'example.com',
    'http://127.0.0.1:1/path',
    'https://*.example.com',
    'ftp://example.com',
    'https://a@b.example',
  ])('is not %s', (allow) => {
    expect(() => guarded({ allow: [allow] })).toThrow(/is not an origin\. Give scheme, host and port/)
  })
})

describe('an address that is not public', () => {
  test.each([
    'https://127.0.0.1',
    'https://2130706433',
    'https://0x7f.1',
    'https://0177.0.0.1',
    'https://127.1',
    'https://127.0.0.1.',
    'https://１２７.０.０.１',
    'https://127。0。0。1',
    'https://[::1]',
    'https://[::ffff:127.0.0.1]',
    'https://[0:0:0:0:0:ffff:7f00:1]',
    'https://[64:ff9b::7f00:1]',
    'https://[2002:7f00:1::]',
    'https://10.0.0.1',
    'https://192.168.0.1',
    'https://[fd12::1]',
  ])('is refused: %s', async (address) => {
    const url = new URL(address)
    url.port = '4747'
    const failure = await failureOf(guarded()(url))
    expect(failure).toMatchObject({ code: 'ADDRESS_REFUSED', details: { reason: 'not-public' } })
    expect(failure.message).toMatch(/^The address of \S+ is not public\. Allow its origin if you mean it\.$/)
    expect(() => guarded().check(url)).toThrow(failure.message)
    expect(() => guarded({ allow: [url.origin] }).check(url)).not.toThrow()
  })

  test('is not connected to', async () => {
    const server = await loopbackTlsServer('peer.test', (_, response) => response.end())
    await failureOf(guarded({ resolve: toLoopback })(server.origin))
    await failureOf(guarded()(`https://127.0.0.1:${server.port}`))
    expect(server.connections()).toBe(0)
  })

  test.each([
    'https://169.254.169.254',
    'https://[::ffff:169.254.169.254]',
    'https://[fe80::1]',
    'https://[fd00:ec2::254]',
    'https://168.63.129.16',
    'https://0.0.0.0',
    'https://[::]',
    'https://0',
    'https://224.0.0.1',
  ])('is refused even when it is allowed, where nothing may be fetched: %s', async (address) => {
    const fetch = guarded({ allow: [address] })
    const failure = await failureOf(fetch(address))
    expect(failure).toMatchObject({ code: 'ADDRESS_REFUSED', details: { reason: 'reserved' } })
    expect(() => fetch.check(new URL(address))).toThrow(failure.message)
  })

  test.each([
    ['only that', ['10.1.2.3']],
    ['among public ones', ['93.184.215.14', '10.1.2.3']],
    ['first', ['::1', '93.184.215.14']],
  ])('is refused when a name stands for it: %s', async (_, addresses) => {
    const failure = await failureOf(guarded({ resolve: async () => addresses })('https://peer.test'))
    expect(failure.message).toBe('The address of peer.test is not public. Allow its origin if you mean it.')
    expect(JSON.stringify(failure)).not.toContain('10.1.2.3')
  })

  test('is refused as localhost, however the system resolves it', async () => {
    await expect(guarded()('https://localhost:4747')).rejects.toMatchObject({ code: 'ADDRESS_REFUSED' })
  })
})

describe('a name that changes its address', () => {
  test('is connected to at the address that was checked', async () => {
    const server = await loopbackServer((_, response) => response.end('the checked one'))
    const answers = [['127.0.0.1'], ['169.254.169.254']]
    const resolve = async () => answers.shift() ?? []
    const origin = `http://peer.test:${server.port}`
    const fetch = guarded({ allow: [origin], resolve })
    expect(await (await fetch(origin)).text()).toBe('the checked one')
    expect(answers).toHaveLength(1)
  })

  test('is refused when it does so before the next connection', async () => {
    const server = await loopbackServer((_, response) => response.setHeader('connection', 'close').end('first'))
    const answers = [['127.0.0.1'], ['169.254.169.254']]
    const origin = `http://peer.test:${server.port}`
    const fetch = guarded({ allow: [origin], resolve: async () => answers.shift() ?? [] })
    await (await fetch(origin)).text()
    await expect(fetch(origin)).rejects.toMatchObject({ code: 'ADDRESS_REFUSED', details: { reason: 'reserved' } })
    expect(server.requests).toHaveLength(1)
  })
})

describe('what can be seen of an address', () => {
  test.each(['file:///etc/passwd', 'data:text/plain,x', 'ftp://example.com/', 'javascript:1', 'blob:https://x/1'])(
    'is refused for its scheme: %s',
    async (url) => {
      await expect(guarded()(url)).rejects.toMatchObject({ code: 'ADDRESS_REFUSED', details: { reason: 'scheme' } })
    },
  )

  test('is refused for credentials in it, which are not repeated', async () => {
    const failure = await failureOf(guarded()('https://name:canary@peer.test/canary'))
    expect(failure).toMatchObject({ code: 'ADDRESS_REFUSED', details: { reason: 'credentials' } })
    expect(failure.message).not.toContain('canary')
  })

  test('is refused when it is none', async () => {
    await expect(guarded()('/relative')).rejects.toMatchObject({ code: 'ADDRESS_REFUSED', details: { reason: 'url' } })
  })

  test('is refused for its origin, when the request may go to others only', async () => {
    const server = await loopbackServer((_, response) => response.end())
    const guard = { only: ['https://peer.test'] }
    const failure = await failureOf(guarded({ allow: [server.origin] })(server.origin, { guard }))
    expect(failure).toMatchObject({ code: 'ADDRESS_REFUSED', details: { reason: 'other-origin' } })
    expect(server.connections()).toBe(0)
  })

  test('is refused for its port, when no web server is there', async () => {
    const allow = ['http://127.0.0.1:25']
    await expect(guarded({ allow })('http://127.0.0.1:25')).rejects.toMatchObject({
      code: 'ADDRESS_REFUSED',
      details: { reason: 'port' },
    })
  })
})

describe('by https', () => {
  test('a server is reached at the pinned address and known by its name', async () => {
    const server = await loopbackTlsServer('peer.test', (_, response) => response.end('secret'))
    const fetch = guarded({ allow: [server.origin], resolve: toLoopback, tls: { ca: server.ca } })
    expect(await (await fetch(server.origin)).text()).toBe('secret')
  })

  test('a server with an unknown certificate, or that is for another name, is not spoken to', async () => {
    const server = await loopbackTlsServer('other.test', (_, response) => response.end())
    const origin = `https://peer.test:${server.port}`
    const fetch = guarded({ allow: [origin, server.origin], resolve: toLoopback })
    const unknown = await failureOf(fetch(server.origin))
    const otherName = await failureOf(fetch(origin, { tls: { ca: server.ca } }))
    for (const failure of [unknown, otherName]) {
      expect(failure).toMatchObject({ code: 'UNREACHABLE' })
      expect(failure.message).toMatch(/has no valid certificate/)
    }
    expect(server.requests).toEqual([])
  })

  test('a connection that was made for an allowed request serves no other', async () => {
    const server = await loopbackTlsServer('peer.test', (_, response) => response.end('ok'))
    const fetch = guarded({ resolve: toLoopback, tls: { ca: server.ca } })
    await (await fetch(server.origin, { guard: { allow: [server.origin] } })).text()
    await expect(fetch(server.origin)).rejects.toMatchObject({ details: { reason: 'not-public' } })
    expect(server.requests).toHaveLength(1)
  })

  test('nor does one that was made with a certificate of one’s own', async () => {
    const callers: unknown[] = []
    const server = await loopbackTlsServer('peer.test', ({ socket }, response) => {
      callers.push((socket as TLSSocket).getPeerCertificate().subject?.CN)
      response.end('ok')
    })
    const fetch = guarded({ allow: [server.origin], resolve: toLoopback, tls: { ca: server.ca } })
    const tls = selfSigned('me.test')
    for (const init of [{}, {}, { tls }, {}, {}, { tls }]) await (await fetch(server.origin, init)).text()
    expect(callers).toEqual([undefined, undefined, 'me.test', undefined, undefined, 'me.test'])
  })
})

describe('a host that cannot be reached', () => {
  test('is said so: no such name', async () => {
    const fetch = guarded({ resolve: async () => [] })
    await expect(fetch('https://nobody.test')).rejects.toMatchObject({
      code: 'UNREACHABLE',
      message: 'There is no host nobody.test. Check its name.',
    })
  })

  test('is said so: nothing listens', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    await new Promise((resolve) => server.close(resolve))
    const failure = await failureOf(guarded({ allow: [origin] })(origin))
    expect(failure.code).toBe('UNREACHABLE')
    expect(failure.message).toMatch(/^Nothing answers at 127\.0\.0\.1:\d+\./)
  })
})

describe('a request', () => {
  test.each([
    ['text', 'hello', 'text/plain;charset=UTF-8', 'hello'],
    ['bytes', new TextEncoder().encode('hello'), undefined, 'hello'],
    ['form fields', new URLSearchParams({ a: '1' }), 'application/x-www-form-urlencoded;charset=UTF-8', 'a=1'],
    ['a blob', new Blob(['x'], { type: 'image/png' }), 'image/png', 'x'],
  ])('sends %s', async (_, body, type, text) => {
    const server = await echo()
    const response = await guarded({ allow: [server.origin] })(server.origin, { method: 'POST', body })
    expect(await response.json()).toMatchObject({
      method: 'POST',
      type: type ?? null,
      text,
      length: String(text.length),
    })
  })

  test('sends a form, and a stream', async () => {
    const server = await echo()
    const fetch = guarded({ allow: [server.origin] })
    const form = new FormData()
    form.set('field', 'value')
    const sent = (await (await fetch(server.origin, { method: 'POST', body: form })).json()) as { text: string }
    expect(sent.text).toContain('name="field"')
    const stream = new Blob(['streamed']).stream()
    const streamed = await fetch(server.origin, { method: 'PUT', body: stream, duplex: 'half' } as RequestInit)
    expect(await streamed.json()).toMatchObject({ method: 'PUT', text: 'streamed' })
  })

  test('may be given as a Request, as to any fetch', async () => {
    const server = await echo()
    const fetch: typeof globalThis.fetch = guarded({ allow: [server.origin] })
    const request = new Request(server.origin, { method: 'POST', body: 'x', headers: { 'content-type': 'a/b' } })
    expect(await (await fetch(request)).json()).toMatchObject({ method: 'POST', type: 'a/b', text: 'x' })
  })

  test('that cannot be sent is the caller’s mistake', async () => {
    const server = await echo()
    const request = guarded({ allow: [server.origin] })(server.origin, { method: 'GET', body: 'x' })
    await expect(request).rejects.toBeInstanceOf(TypeError)
  })

  test('asks no proxy, whatever the environment says', async () => {
    const proxy = await loopbackServer((_, response) => response.end('proxied'))
    const server = await loopbackServer((_, response) => response.end('direct'))
    const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY', 'NODE_USE_ENV_PROXY']
    const before = names.map((name) => process.env[name])
    for (const name of names) process.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : proxy.origin
    try {
      expect(await (await guarded({ allow: [server.origin] })(server.origin)).text()).toBe('direct')
    } finally {
      names.forEach((name, index) => {
        if (before[index] === undefined) delete process.env[name]
        else process.env[name] = before[index]
      })
    }
    expect(proxy.connections()).toBe(0)
  })

  test('leaves the platform’s own fetch as it was', () => {
    const script = `
      const { guardedFetch } = await import(${JSON.stringify(import.meta.resolve('./guarded-fetch.ts'))})
      await guardedFetch()('https://127.0.0.1').catch(({ code }) => console.log(code))
      const { Agent } = await import('undici')
      console.log(globalThis[Symbol.for('undici.globalDispatcher.1')] instanceof Agent)
    `
    const args = ['--conditions=@cool-ai/source', '--input-type=module', '--eval', script]
    const output = execFileSync(process.execPath, args, { cwd: import.meta.dirname, encoding: 'utf8' })
    expect(output).toBe('ADDRESS_REFUSED\nfalse\n')
  })

  test('fails after the fetch was closed, and when it is', async () => {
    const server = await loopbackServer((request, response) => {
      if (request.url === '/') response.end()
    })
    for (const isUsed of [true, false]) {
      const fetch = guarded({ allow: [server.origin] })
      if (isUsed) {
        const asked = server.nextRequest()
        const waits = failureOf(fetch(`${server.origin}/never`))
        await asked
        await fetch.close()
        expect((await waits).code).toBe('UNREACHABLE')
      } else await fetch.close()
      expect(await failureOf(fetch(server.origin))).toMatchObject({
        code: 'UNREACHABLE',
        message: 'This fetch is closed. Make another one.',
      })
    }
  })
})

async function echo() {
  return loopbackServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { 'content-type': type = null, 'content-length': length } = request.headers
      const text = Buffer.concat(chunks).toString()
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ method: request.method, type, length, text }))
    })
  })
}
