import { webhookKey } from '@cool-ai/beach-channel/http'
import { BeachError } from '@cool-ai/beach-core'
import { isInbound, type Hooks } from './hook.ts'

/** Says what is wrong with hooks before the first payload comes. */
export function checkHooks(hooks: Hooks): void {
  for (const [name, hook] of Object.entries(hooks)) {
    const wrong = (message: string) => new BeachError('INVALID_CONFIGURATION', `The hook '${name}' ${message}`)
    if (!/^[\w.-]{1,100}$/.test(name)) throw wrong('needs a name of letters, digits, dots, dashes and underscores.')
    const { callback } = hook
    if (callback === undefined && !isInbound(hook)) throw wrong('neither takes payloads nor sends any.')
    if (callback !== undefined && callback.secrets.length === 0) throw wrong('needs a secret to sign callbacks with.')
    callback?.secrets.forEach(webhookKey)
    if (isInbound(hook) && (typeof hook.verify !== 'function' || typeof hook.parts !== 'function')) {
      throw wrong('needs `verify`, such as standardWebhooks({ secrets }), and `parts`.')
    }
    if (isInbound(hook) && !(Math.min(hook.timeoutMs ?? 1, hook.bytes ?? 1) > 0)) {
      throw wrong('needs a timeoutMs and bytes above 0.')
    }
  }
}
