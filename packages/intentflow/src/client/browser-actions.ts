import { defined } from '@cool-ai/beach-core/runtime'
import { ActionError, type ActionHandlers } from './action-runs.ts'
import type { Values } from '../schemas/json-problem.ts'

/** Which addresses actions may open. */
export interface BrowserActionsOptions {
  /** The origins whose pages may be opened, such as `https://pay.example.com`; the page's own is always one. */
  readonly origins?: readonly string[] | undefined
}

/** Everything that the server can ask of a device, as far as this browser can do it; the rest is UNSUPPORTED. */
export function browserActions({ origins = [] }: BrowserActionsOptions = {}): Required<ActionHandlers> {
  return {
    biometric_auth: (config, { signal }) => verifyUser(config, signal),
    camera_capture: (config, { signal }) => takePicture(config, signal),

    async location_request({ accuracy, maxAgeMs }) {
      const { geolocation } = supported('location_request', navigator.geolocation && navigator)
      const options = defined({ enableHighAccuracy: accuracy === 'high', maximumAge: maxAgeMs })
      const { coords } = await new Promise<GeolocationPosition>((resolve, reject) => {
        geolocation.getCurrentPosition(resolve, (error) => reject(locationError(error)), options)
      })
      return { latitude: coords.latitude, longitude: coords.longitude, accuracy: coords.accuracy }
    },

    async share({ title, text, url }) {
      const share = supported('share', (navigator as Partial<Navigator>).share)
      await share.call(navigator, defined({ title, text, url }))
    },

    async open_url({ url }) {
      const { origin, protocol } = new URL(url)
      if (protocol !== 'https:' || ![location.origin, ...origins].includes(origin)) {
        throw new ActionError('NOT_ALLOWED', `This page does not open ${origin}.`)
      }
      window.open(url, '_blank', 'noopener,noreferrer')
    },

    async copy_to_clipboard({ text }) {
      await supported('copy_to_clipboard', (navigator as Partial<Navigator>).clipboard).writeText(text)
    },

    async haptic_feedback({ style = 'medium' }) {
      const vibrate = supported('haptic_feedback', (navigator as Partial<Navigator>).vibrate)
      vibrate.call(navigator, [...vibrations[style]])
    },

    async notification({ title, body, tag }) {
      const { Notification } = globalThis as Partial<typeof globalThis>
      const Shown = supported('notification', Notification)
      const permission = Shown.permission === 'default' ? await Shown.requestPermission() : Shown.permission
      if (permission !== 'granted') throw new ActionError('DENIED', 'The user allows no notifications.')
      const shown = new Shown(title, defined({ body, tag }))
      shown.addEventListener('click', () => window.focus())
    },
  }
}

/** How long it vibrates, and pauses, in milliseconds. */
const vibrations = {
  light: [10],
  medium: [20],
  heavy: [40],
  success: [10, 60, 10],
  warning: [20, 60, 20],
  error: [30, 60, 30, 60, 30],
} as const

/** What a browser has, or the error that says that it does not; on pages without TLS it has little. */
function supported<Value>(action: string, value: Value | undefined): NonNullable<Value> {
  if (value === undefined || value === null) throw new ActionError('UNSUPPORTED', `This browser cannot do ${action}.`)
  return value
}

function locationError({ code, message, PERMISSION_DENIED, TIMEOUT }: GeolocationPositionError): ActionError {
  const known = code === PERMISSION_DENIED ? 'DENIED' : code === TIMEOUT ? 'TIMEOUT' : 'UNAVAILABLE'
  return new ActionError(known, message || 'The place could not be found out.')
}

/** What a response may hold, with what base64 and JSON add. */
const maxPictureBytes = 44_000

/** The longest sides that are tried, until the picture is small enough. */
const sides = [1_280, 960, 720, 480, 320, 160]

/** A picture by the camera or, where there is none, one that the user chooses; small enough to be sent. */
async function takePicture(config: Values, signal: AbortSignal): Promise<Values> {
  const { mode = 'photo', facing = 'environment', maxBytes } = config
  if (mode !== 'photo') throw new ActionError('UNSUPPORTED', `This browser cannot take a ${String(mode)}.`)
  const max = Math.min(typeof maxBytes === 'number' ? maxBytes : maxPictureBytes, maxPictureBytes)
  const source = await fromCamera(String(facing), signal).catch((error: unknown) => {
    // A camera that is there and was refused is an answer.
    if (error instanceof DOMException && error.name === 'NotAllowedError') throw error
    return fromFile(signal)
  })
  return reduced(source, max)
}

async function fromCamera(facingMode: string, signal: AbortSignal): Promise<ImageBitmap> {
  const { mediaDevices } = navigator as Partial<Navigator>
  if (mediaDevices === undefined) throw new ActionError('UNSUPPORTED', 'This browser has no camera.')
  const stream = await mediaDevices.getUserMedia({ video: { facingMode } })
  try {
    signal.throwIfAborted()
    const video = document.createElement('video')
    video.muted = true
    video.srcObject = stream
    await video.play()
    return await createImageBitmap(video)
  } finally {
    for (const track of stream.getTracks()) track.stop()
  }
}

/** Browsers open the dialog only while the user has just done something. */
function fromFile(signal: AbortSignal): Promise<ImageBitmap> {
  const { promise, resolve, reject } = Promise.withResolvers<ImageBitmap>()
  const input = document.createElement('input')
  input.type = 'file'
  input.accept = 'image/*'
  input.capture = 'environment'
  input.addEventListener('cancel', () => reject(new ActionError('CANCELLED', 'No picture was chosen.')))
  input.addEventListener('change', () => {
    const [file] = input.files ?? []
    if (file !== undefined) createImageBitmap(file).then(resolve, reject)
  })
  signal.addEventListener('abort', () => reject(new ActionError('CANCELLED', 'No picture was chosen in time.')))
  input.click()
  return promise
}

async function reduced(source: ImageBitmap, max: number): Promise<Values> {
  for (const side of sides) {
    const scale = Math.min(1, side / Math.max(source.width, source.height))
    const [width, height] = [source.width, source.height].map((length) => Math.max(1, Math.round(length * scale)))
    const canvas = new OffscreenCanvas(width ?? 1, height ?? 1)
    canvas.getContext('2d')?.drawImage(source, 0, 0, canvas.width, canvas.height)
    const blob = await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.8 })
    if (blob.size > max) continue
    return {
      mimeType: 'image/jpeg',
      width: canvas.width,
      height: canvas.height,
      data: base64Of(await blob.arrayBuffer()),
    }
  }
  throw new ActionError('FAILED', 'The picture cannot be made small enough.')
}

function base64Of(bytes: ArrayBuffer): string {
  let binary = ''
  for (const byte of new Uint8Array(bytes)) binary += String.fromCharCode(byte)
  return btoa(binary)
}

/**
 * Has the device make sure who is there, by WebAuthn with a passkey of this site. Where the server gives a `challenge` it
 * can verify the result by the passkey's public key; without one this is no more than what the client says.
 */
async function verifyUser(config: Values, signal: AbortSignal): Promise<Values> {
  const { credentials } = navigator as Partial<Navigator>
  if (credentials === undefined || typeof globalThis.PublicKeyCredential !== 'function') {
    throw new ActionError('UNSUPPORTED', 'This browser cannot do biometric_auth.')
  }
  const { challenge, rpId, credentialIds } = config
  const publicKey: PublicKeyCredentialRequestOptions = {
    challenge: typeof challenge === 'string' ? bytesOf(challenge) : crypto.getRandomValues(new Uint8Array(32)),
    userVerification: 'required',
    ...(typeof rpId === 'string' && { rpId }),
    ...(Array.isArray(credentialIds) && {
      allowCredentials: credentialIds.map((id) => ({ type: 'public-key' as const, id: bytesOf(String(id)) })),
    }),
  }
  const found = (await credentials.get({ publicKey, signal })) as PublicKeyCredential | null
  if (found === null) throw new ActionError('DENIED', 'The user could not be verified.')
  const response = found.response as AuthenticatorAssertionResponse
  return {
    authenticated: true,
    method: 'webauthn',
    credentialId: found.id,
    clientDataJSON: textOf(response.clientDataJSON),
    authenticatorData: textOf(response.authenticatorData),
    signature: textOf(response.signature),
  }
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (letter) => letter.charCodeAt(0))
}

function textOf(bytes: ArrayBuffer): string {
  return base64Of(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
