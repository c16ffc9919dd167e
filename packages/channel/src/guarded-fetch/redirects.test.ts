import { describe, expect, test } from 'vitest'
import { failureOf, guarded } from './guarded.test-helper.ts'
import { loopbackServer, loopbackTlsServer } from './loopback-server.test-helper.ts'

/** Answers `/3` with a redirect to `/2`, and so on; `/0` with what it was sent. */
async function countdown(status = 302) {
  return loopbackServer((request, response) => {
    const count = Number(request.url?.slice(1))
    if (count > 0) {
      response.writeHead(status, { location: `/${count - 1}` }).end('moved')
      return
    }
    let text = ''
    request.on('data', (chunk) => (text += String(chunk)))
    request.on('end', () => response.end(`${request.method} ${text}`))
  })
}

async function redirectTo(location: string, status = 302) {
  return loopbackServer((_, response) => response.writeHead(status, { location }).end('moved'))
}

describe('a GET', () => {
  test.each([301, 302, 303, 307, 308])('follows a %i, as often as it may', async (status) => {
    const server = await countdown(status)
    const fetch = guarded({ allow: [server.origin] })
    const response = await fetch(`${server.origin}/3`)
    expect(response).toMatchObject({ status: 200, url: `${server.origin}/0`, redirected: true })
    expect(await response.text()).toBe('GET ')
    expect(await failureOf(fetch(`${server.origin}/4`))).toMatchObject({
      code: 'REDIRECT_REFUSED',
      message: `${new URL(server.origin).host} redirects further than 3 times.`,
    })
  })

  test('follows a loop no longer than that', async () => {
    const server = await loopbackServer((_, response) => response.writeHead(302, { location: '/' }).end())
    const failure = await failureOf(guarded({ allow: [server.origin], redirects: 5 })(server.origin))
    expect(failure.code).toBe('REDIRECT_REFUSED')
    expect(server.requests).toHaveLength(6)
  })

  test('follows none when none is allowed, or none is wanted', async () => {
    const server = await countdown()
    const fetch = guarded({ allow: [server.origin] })
    await expect(fetch(`${server.origin}/1`, { guard: { redirects: 0 } })).rejects.toMatchObject({
      code: 'REDIRECT_REFUSED',
    })
    await expect(fetch(`${server.origin}/1`, { redirect: 'error' })).rejects.toMatchObject({ code: 'REDIRECT_REFUSED' })
    const manual = await fetch(`${server.origin}/1`, { redirect: 'manual' })
    expect(manual.status).toBe(302)
    expect(manual.headers.get('location')).toBe('/0')
    expect(server.requests).toEqual(['GET /1', 'GET /1', 'GET /1'])
  })

  test('takes a redirect without a place for an answer', async () => {
    const server = await loopbackServer((_, response) => response.writeHead(302).end('nowhere'))
    const response = await guarded({ allow: [server.origin] })(server.origin)
    expect([response.status, await response.text()]).toEqual([302, 'nowhere'])
  })
})

describe('where a redirect leads', () => {
  test.each([
    ['https://169.254.169.254/latest/meta-data/', 'ADDRESS_REFUSED'],
    ['https://[::ffff:a9fe:a9fe]/', 'ADDRESS_REFUSED'],
    ['http://169.254.169.254/latest/meta-data/', 'ADDRESS_REFUSED'],
    ['https://127.0.0.1:4747/', 'ADDRESS_REFUSED'],
    ['http://127.0.0.1:1/', 'ADDRESS_REFUSED'],
    ['file:///etc/passwd', 'ADDRESS_REFUSED'],
    ['https://name:word@peer.test/', 'ADDRESS_REFUSED'],
    ['http://[', 'REDIRECT_REFUSED'],
  ])('is checked anew: %s', async (location, code) => {
    const server = await redirectTo(location)
    await expect(guarded({ allow: [server.origin] })(server.origin)).rejects.toMatchObject({ code })
  })

  test('is resolved and checked anew', async () => {
    const server = await redirectTo('https://rebound.test/')
    const resolved: string[] = []
    const resolve = async (name: string) => {
      resolved.push(name)
      return ['10.0.0.1']
    }
    await expect(guarded({ allow: [server.origin], resolve })(server.origin)).rejects.toMatchObject({
      details: { reason: 'not-public' },
    })
    expect(resolved).toEqual(['rebound.test'])
  })

  test('must be one of the origins that the request may go to', async () => {
    const target = await loopbackServer((_, response) => response.end())
    const server = await redirectTo(target.origin)
    const fetch = guarded({ allow: [server.origin, target.origin] })
    await expect(fetch(server.origin, { guard: { only: [server.origin] } })).rejects.toMatchObject({
      details: { reason: 'other-origin' },
    })
    expect(target.connections()).toBe(0)
  })

  test('is never http after https, allowed or not', async () => {
    const target = await loopbackServer((_, response) => response.end())
    const server = await loopbackTlsServer('peer.test', (_, response) =>
      response.writeHead(302, { location: target.origin }).end(),
    )
    const fetch = guarded({
      allow: [server.origin, target.origin],
      resolve: async () => ['127.0.0.1'],
      tls: { ca: server.ca },
    })
    const failure = await failureOf(fetch(server.origin))
    expect(failure).toMatchObject({ code: 'REDIRECT_REFUSED' })
    expect(failure.message).toContain('from https to http')
    expect(target.connections()).toBe(0)
  })
})

describe('what a redirect carries along', () => {
  const headers = {
    accept: 'application/json',
    authorization: 'Bearer canary',
    cookie: 'canary',
    'x-beach-key': 'canary',
    'x-api-key': 'canary',
    'a2a-version': '1.0',
  }

  test('to another origin: nothing that could be a credential', async () => {
    const target = await loopbackServer((_, response) => response.end())
    const server = await redirectTo(target.origin)
    await guarded({ allow: [server.origin, target.origin] })(server.origin, { headers })
    expect(server.received[0]?.headers).toMatchObject(headers)
    expect(target.received[0]?.headers).toMatchObject({ accept: 'application/json', 'a2a-version': '1.0' })
    expect(JSON.stringify(target.received[0]?.rawHeaders)).not.toContain('canary')
  })

  test('to the same origin: everything', async () => {
    const server = await countdown()
    await guarded({ allow: [server.origin] })(`${server.origin}/1`, { headers })
    expect(server.received[1]?.headers).toMatchObject(headers)
  })
})

describe('a POST', () => {
  const post = { method: 'post', body: 'once' }

  test.each([301, 302, 303])('is not turned into a GET by a %i', async (status) => {
    const server = await countdown(status)
    const failure = await failureOf(guarded({ allow: [server.origin] })(`${server.origin}/1`, post))
    expect(failure.code).toBe('REDIRECT_REFUSED')
    expect(failure.message).toContain(`redirects a POST (${status}). Use the address that it redirects to.`)
    expect(server.requests).toEqual(['POST /1'])
  })

  test.each([307, 308])('is sent again by a %i to the same origin', async (status) => {
    const server = await countdown(status)
    const response = await guarded({ allow: [server.origin] })(`${server.origin}/2`, post)
    expect(await response.text()).toBe('POST once')
  })

  test('is not sent again to another origin', async () => {
    const target = await loopbackServer((_, response) => response.end())
    const server = await redirectTo(target.origin, 307)
    const fetch = guarded({ allow: [server.origin, target.origin] })
    await expect(fetch(server.origin, post)).rejects.toMatchObject({ code: 'REDIRECT_REFUSED' })
    expect(target.connections()).toBe(0)
  })

  test('whose body is a stream is not sent again', async () => {
    const server = await countdown(307)
    const init = { method: 'POST', body: new Blob(['x']).stream(), duplex: 'half' } as RequestInit
    await expect(guarded({ allow: [server.origin] })(`${server.origin}/1`, init)).rejects.toMatchObject({
      code: 'REDIRECT_REFUSED',
    })
  })
})
