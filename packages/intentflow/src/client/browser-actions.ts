import { ActionError, type ActionHandlers } from './action-runs.ts'
import { takePicture } from './take-picture.ts'
import { verifyUser } from './verify-user.ts'

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
      const options = {
        enableHighAccuracy: accuracy === 'high',
        ...(maxAgeMs !== undefined && { maximumAge: maxAgeMs }),
      }
      const { coords } = await new Promise<GeolocationPosition>((resolve, reject) => {
        geolocation.getCurrentPosition(resolve, (error) => reject(locationError(error)), options)
      })
      return { latitude: coords.latitude, longitude: coords.longitude, accuracy: coords.accuracy }
    },

    async share({ title, text, url }) {
      const share = supported('share', (navigator as Partial<Navigator>).share)
      const data = { ...(title && { title }), ...(text && { text }), ...(url && { url }) }
      await share.call(navigator, data)
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
      const shown = new Shown(title, { ...(body && { body }), ...(tag && { tag }) })
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
