import { ActionError } from './action-runs.ts'

type Values = Readonly<Record<string, unknown>>

/**
 * Has the device make sure who is there, by WebAuthn with a passkey of this site. Where the server gives a `challenge` it
 * can verify the result by the passkey's public key; without one this is no more than what the client says.
 */
export async function verifyUser(config: Values, signal: AbortSignal): Promise<Values> {
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
  const binary = String.fromCharCode(...new Uint8Array(bytes))
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
