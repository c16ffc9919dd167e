/** How cards, tokens and notifications may be signed: by a key pair, never by a secret that the reader would need too. */
export const signatureAlgorithms: readonly string[] = [
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
  'PS256',
  'PS384',
  'PS512',
  'RS256',
  'RS384',
  'RS512',
]
