import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type * as Client from '@intentflow/core/client'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { beforeAll, describe, expect, test, type TestContext } from 'vitest'
import { bundle } from '../client/bundle.ts'
import { newBrowser } from '../support/browser.ts'

declare const client: typeof Client

let code = ''
beforeAll(async () => {
  const entry = `import * as client from '@intentflow/core/client'\nObject.assign(globalThis, { client })`
  code = (await bundle(entry)).code
})

/** A page that has the client, and is what browsers call secure: many capabilities are there only then. */
async function tab(context: TestContext, options: BrowserContextOptions = {}): Promise<Page> {
  const server = createServer((request, response) => {
    const isScript = request.url === '/app.js'
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
    response.end(isScript ? code : '<!doctype html><title>x</title><script type="module" src="/app.js"></script>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  context.onTestFinished(() => void server.close())
  const page = await (await newBrowser(context, options)).newPage()
  page.setDefaultTimeout(30_000)
  await page.goto(`http://localhost:${(server.address() as AddressInfo).port}/`)
  await page.waitForFunction(() => 'client' in globalThis)
  return page
}

interface Asked {
  readonly action: string
  readonly config: object
}

/** Has a client with the browser's actions do one; gives the response that it sends. */
function respond(page: Page, asked: Asked, origins: readonly string[] = []): Promise<unknown> {
  return page.evaluate(
    ([action, allowed]) =>
      new Promise<unknown>((resolve) => {
        const flows = client.createFlowClient({
          transport: {
            async send({ events = [] }) {
              for (const { value } of events) if ('success' in value) resolve(value)
              return { results: [] }
            },
          },
          actions: client.browserActions({ origins: allowed }),
        })
        const value = { ...action, eventId: 'e', actionId: 'action_007', responseRequired: true, timeoutMs: 20_000 }
        flows.receive({ type: 'CUSTOM', name: 'intentflow.action', value })
      }),
    [asked, origins] as const,
  )
}

const failed = (why: string) => ({ actionId: 'action_007', success: false, error: { code: why } })

describe('browserActions', () => {
  test('location_request gives the place, or says that the user does not want to', async (context) => {
    const place = { latitude: 52.5, longitude: 13.4, accuracy: 10 }
    const asked = { action: 'location_request', config: { accuracy: 'high' } }
    const allowed = await tab(context, { permissions: ['geolocation'], geolocation: place })
    expect(await respond(allowed, asked)).toMatchObject({ success: true, result: place })
    const denied = await tab(context, { permissions: [], geolocation: place })
    expect(await respond(denied, asked)).toMatchObject(failed('DENIED'))
  })

  test('copy_to_clipboard copies', async (context) => {
    const page = await tab(context, { permissions: ['clipboard-read', 'clipboard-write'] })
    const asked = { action: 'copy_to_clipboard', config: { text: 'CF-12345' } }
    expect(await respond(page, asked)).toMatchObject({ success: true })
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('CF-12345')
  })

  test('open_url opens only what is allowed, by https, and gives the new page nothing', async (context) => {
    const page = await tab(context)
    await page.evaluate(() => {
      const opened: unknown[] = []
      Object.assign(globalThis, { opened })
      window.open = (...args) => {
        opened.push(args)
        return null
      }
    })
    const open = (url: string) => respond(page, { action: 'open_url', config: { url } }, ['https://pay.example.com'])
    expect(await open('https://pay.example.com/order/1')).toMatchObject({ success: true })
    expect(await open('https://pay.example.com.evil.example/')).toMatchObject(failed('NOT_ALLOWED'))
    expect(await open('http://pay.example.com/')).toMatchObject(failed('NOT_ALLOWED'))
    // oxlint-disable-next-line no-script-url -- this is what must not be opened.
    expect(await open('javascript:alert(1)')).toMatchObject(failed('NOT_ALLOWED'))
    expect(await open('nonsense')).toMatchObject(failed('FAILED'))
    expect(await page.evaluate(() => (globalThis as unknown as { opened: unknown[] }).opened)).toEqual([
      ['https://pay.example.com/order/1', '_blank', 'noopener,noreferrer'],
    ])
  })

  test('haptic_feedback vibrates as its style says', async (context) => {
    const page = await tab(context)
    await page.evaluate(() => {
      const felt: unknown[] = []
      Object.assign(globalThis, { felt })
      navigator.vibrate = (pattern) => felt.push(pattern) > 0
    })
    expect(await respond(page, { action: 'haptic_feedback', config: { style: 'success' } })).toMatchObject({
      success: true,
    })
    expect(await respond(page, { action: 'haptic_feedback', config: {} })).toMatchObject({ success: true })
    expect(await page.evaluate(() => (globalThis as unknown as { felt: unknown[] }).felt)).toEqual([[10, 60, 10], [20]])
  })

  test('notification is shown when the user allows it, and says so when not', async (context) => {
    const page = await tab(context)
    await page.evaluate(() => {
      const shown: unknown[] = []
      class Stub extends EventTarget {
        static permission = 'default'
        static requestPermission = async () => 'granted'
        constructor(...args: unknown[]) {
          super()
          shown.push(args)
        }
      }
      Object.assign(globalThis, { shown, Notification: Stub })
    })
    const asked = { action: 'notification', config: { title: 'Ready', body: 'Your tea', tag: 'order' } }
    expect(await respond(page, asked)).toMatchObject({ success: true })
    expect(await page.evaluate(() => (globalThis as unknown as { shown: unknown[] }).shown)).toEqual([
      ['Ready', { body: 'Your tea', tag: 'order' }],
    ])
    await page.evaluate(() => Object.assign(Notification, { permission: 'denied' }))
    expect(await respond(page, asked)).toMatchObject(failed('DENIED'))
  })

  test('share shares, and what the browser does not have is UNSUPPORTED', async (context) => {
    const page = await tab(context)
    await page.evaluate(() => {
      const shared: unknown[] = []
      Object.assign(globalThis, { shared })
      navigator.share = async (data) => void shared.push(data)
    })
    const asked = { action: 'share', config: { title: 'Tea', url: 'https://shop.example/' } }
    expect(await respond(page, asked)).toMatchObject({ success: true })
    expect(await page.evaluate(() => (globalThis as unknown as { shared: unknown[] }).shared)).toEqual([
      { title: 'Tea', url: 'https://shop.example/' },
    ])
    await page.evaluate(() => {
      const gone = { value: undefined, configurable: true }
      Object.defineProperties(navigator, {
        share: gone,
        vibrate: gone,
        clipboard: gone,
        geolocation: gone,
        credentials: gone,
      })
      Object.assign(globalThis, { Notification: undefined })
    })
    for (const [action, config] of [
      ['share', { text: 'x' }],
      ['haptic_feedback', {}],
      ['copy_to_clipboard', { text: 'x' }],
      ['location_request', {}],
      ['biometric_auth', { reason: 'x' }],
      ['notification', { title: 'x' }],
      ['camera_capture', { mode: 'video' }],
    ] as const) {
      expect(await respond(page, { action, config }), action).toMatchObject(failed('UNSUPPORTED'))
    }
  })

  test('biometric_auth asks the device, and gives what the server can verify', async (context) => {
    const page = await tab(context)
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('WebAuthn.enable')
    const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    await page.evaluate(async () => {
      await navigator.credentials.create({
        publicKey: {
          rp: { name: 'Shop' },
          user: { id: new Uint8Array([1]), name: 'ann', displayName: 'Ann' },
          challenge: new Uint8Array(32),
          pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
          authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        },
      })
    })
    const challenge = Buffer.from('what the server has asked for').toString('base64url')
    const asked = { action: 'biometric_auth', config: { reason: 'Authorize payment of $5.25', challenge } }
    const answer = (await respond(page, asked)) as { success: boolean; result: Record<string, string> }
    expect(answer).toMatchObject({ success: true, result: { authenticated: true, method: 'webauthn' } })
    const clientData = JSON.parse(Buffer.from(answer.result.clientDataJSON ?? '', 'base64url').toString()) as object
    expect(clientData).toMatchObject({ type: 'webauthn.get', challenge })
    expect(Buffer.from(answer.result.signature ?? '', 'base64url').length).toBeGreaterThan(32)
    await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
    expect(await respond(page, asked)).toMatchObject(failed('DENIED'))
  })

  test('camera_capture takes a picture, small enough to be sent', async (context) => {
    const page = await tab(context)
    await page.evaluate(() => {
      // A camera whose picture does not get small by itself.
      const canvas = document.createElement('canvas')
      canvas.width = 1_920
      canvas.height = 1_080
      const drawing = canvas.getContext('2d')
      const noise = drawing?.createImageData(1_920, 1_080)
      if (noise === undefined) throw new Error('There is no canvas.')
      let value = 1
      for (let at = 0; at < noise.data.length; at++)
        noise.data[at] = value = ((value * 16_807) % 2_147_483_647) & 255 || 1
      const draw = () => {
        drawing?.putImageData(noise, 0, 0)
        requestAnimationFrame(draw)
      }
      draw()
      const stream = canvas.captureStream(30)
      Object.assign(globalThis, { stream })
      navigator.mediaDevices.getUserMedia = async () => stream
    })
    const asked = { action: 'camera_capture', config: { reason: 'Scan your voucher', facing: 'user' } }
    const { result } = (await respond(page, asked)) as { result: { data: string; mimeType: string; width: number } }
    expect(result.mimeType).toBe('image/jpeg')
    const bytes = Buffer.from(result.data, 'base64')
    expect(bytes.subarray(0, 2).toString('hex')).toBe('ffd8')
    expect(JSON.stringify(result).length).toBeLessThan(64 * 1024)
    // The camera films no longer than that.
    expect(
      await page.evaluate(() => (globalThis as unknown as { stream: MediaStream }).stream.getTracks()[0]?.readyState),
    ).toBe('ended')
  })

  test('camera_capture lets the user choose a file where there is no camera', async (context) => {
    const page = await tab(context)
    await page.evaluate(() => {
      navigator.mediaDevices.getUserMedia = async () => Promise.reject(new DOMException('None.', 'NotFoundError'))
    })
    const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    const chooser = page.waitForEvent('filechooser')
    const answer = respond(page, { action: 'camera_capture', config: {} })
    await (await chooser).setFiles({ name: 'a.png', mimeType: 'image/png', buffer: Buffer.from(pixel, 'base64') })
    expect(await answer).toMatchObject({ success: true, result: { mimeType: 'image/jpeg', width: 1, height: 1 } })
  })

  test('camera_capture says so when the user does not want to be filmed', async (context) => {
    const page = await tab(context)
    await page.evaluate(() => {
      navigator.mediaDevices.getUserMedia = async () => Promise.reject(new DOMException('No.', 'NotAllowedError'))
    })
    expect(await respond(page, { action: 'camera_capture', config: {} })).toMatchObject(failed('DENIED'))
  })
})
