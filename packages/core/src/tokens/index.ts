export { hmacOf, isHmacOf, secretKeys, secretsIn, type Secret } from './secret.ts'
export { Tokens, type TokensOptions, type Verified } from './tokens.ts'
