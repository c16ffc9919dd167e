import * as z from 'zod'

/** An address that may become a link on a page: of the web or of this server, never one that runs a script. */
export const linkSchema = z
  .string()
  .regex(/^(https?:\/\/|\/(?![/\\]))/i, "is neither an http(s) URL nor a path that starts with '/'")
