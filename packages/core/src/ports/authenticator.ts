import type { Principal } from '../principal.ts'

/** Finds out who sent a request; undefined when it carries no credential of this kind, an error when it carries a bad one. */
export type Authenticator = (request: Request) => Promise<Principal | undefined>
