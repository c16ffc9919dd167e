import * as z from 'zod'
import { isPlainObject } from '../plain-value.ts'
import { isWebUrl } from './urls.ts'

// As Protocol Buffers write it: what is empty may be left out, required or not. Further members are kept.

/** An A2A card as it is published, with all that this package reads of it. */
function a2aCard() {
  const names = z.array(z.string())
  const link = z.string().refine((value) => value === '' || isWebUrl(value), 'is not an http(s) URL')
  const requirements = z
    .array(
      z.looseObject({ schemes: z.record(z.string(), z.looseObject({ list: names.exactOptional() })).exactOptional() }),
    )
    .describe('a list such as [{ "schemes": { "key": { "list": [] } } }]')

  const interfaceSchema = z
    .looseObject({
      url: z.string().min(1, 'is empty').describe('the URL of the interface'),
      protocolBinding: z.string().min(1, 'is empty').describe("the binding, such as 'JSONRPC'"),
      protocolVersion: z.string().min(1, 'is empty').describe("the version of A2A, such as '1.0'"),
      tenant: z.string().exactOptional().describe('the tenant as a string'),
    })
    .refine(({ url, protocolBinding }) => protocolBinding === 'GRPC' || isWebUrl(url), {
      path: ['url'],
      error: 'is not an http(s) URL',
    })
    .describe('an interface: { url, protocolBinding, protocolVersion }')

  const skillSchema = z
    .looseObject({
      id: z.string().min(1, 'is empty').describe('an id'),
      name: z.string().exactOptional().describe('a name as a string'),
      description: z.string().exactOptional().describe('a description as a string'),
      tags: names.exactOptional().describe('a list of keywords'),
      examples: names.exactOptional().describe('a list of examples'),
      inputModes: names.exactOptional().describe('a list of media types'),
      outputModes: names.exactOptional().describe('a list of media types'),
      securityRequirements: requirements.exactOptional(),
    })
    .describe('a skill: { id, name, description, tags }')

  const extensionSchema = z
    .looseObject({
      uri: z.string().exactOptional().describe('a URI'),
      description: z.string().exactOptional().describe('a description as a string'),
      required: z.boolean().exactOptional().describe('true or false'),
      params: z.record(z.string(), z.unknown()).exactOptional().describe('an object'),
    })
    .describe('an extension: { uri, params }')

  const capabilitiesSchema = z
    .looseObject({
      streaming: z.boolean().exactOptional().describe('true or false'),
      pushNotifications: z.boolean().exactOptional().describe('true or false'),
      extendedAgentCard: z.boolean().exactOptional().describe('true or false'),
      extensions: z.array(extensionSchema).exactOptional().describe('a list of extensions'),
    })
    .describe('an object of capabilities, such as { "streaming": true }')

  return z.looseObject({
    name: z.string().min(1, 'is empty').describe("the agent's name"),
    description: z.string().exactOptional().describe('a description as a string'),
    supportedInterfaces: z.array(interfaceSchema).exactOptional().describe('a list of interfaces'),
    provider: z
      .looseObject({
        organization: z.string().exactOptional().describe('the name of the organization'),
        url: link.exactOptional().describe("the provider's http(s) URL"),
      })
      .exactOptional()
      .describe('an object with organization and url'),
    version: z.string().min(1, 'is empty').describe("the agent's version"),
    documentationUrl: link.exactOptional().describe('an http(s) URL'),
    iconUrl: link.exactOptional().describe('an http(s) URL'),
    capabilities: capabilitiesSchema.exactOptional(),
    securitySchemes: z
      .record(z.string(), z.record(z.string(), z.unknown()).describe('an object'))
      .exactOptional()
      .describe('an object of security schemes by name'),
    securityRequirements: requirements.exactOptional(),
    defaultInputModes: names.exactOptional().describe('a list of media types'),
    defaultOutputModes: names.exactOptional().describe('a list of media types'),
    skills: z.array(skillSchema).exactOptional().describe('a list of skills'),
    signatures: z
      .array(z.looseObject({ protected: z.string(), signature: z.string() }))
      .exactOptional()
      .describe('a list of signatures: [{ protected, signature }]'),
  })
}

let schema: ReturnType<typeof a2aCard> | undefined

/** Made when the first card is read: most agents read none. */
export function a2aCardSchema(): ReturnType<typeof a2aCard> {
  return (schema ??= a2aCard())
}

export type A2aCardJson = z.infer<ReturnType<typeof a2aCard>>

/** The members of an A2A card that say something: to Protocol Buffers, null is the same as nothing. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isPlainObject(value)) return value
  const members = Object.entries(value).filter(([, member]) => member !== null)
  // What an extension says is its own affair.
  return Object.fromEntries(members.map(([name, member]) => [name, name === 'params' ? member : withoutNulls(member)]))
}
