import { generateKeyPairSync } from 'node:crypto'

/** A key of no platform. */
export const strangersKey = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey
