import { expect, test } from 'vitest'
import { cardToLegacyProto } from './legacy-rest.ts'

const card = {
  name: 'Tester',
  description: 'Says what it is told.',
  version: '1.0.0',
  url: 'https://x.example/a2a',
  protocolVersion: '0.3.0',
  capabilities: { streaming: true },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [],
}

test('a card without security is the same in both forms', () => {
  expect(cardToLegacyProto(card)).toEqual(card)
})

test('each kind of security has a name of its own', () => {
  const flows = { clientCredentials: { tokenUrl: 'https://x.example/token', scopes: { read: 'Reads.' } } }
  const written = cardToLegacyProto({
    ...card,
    securitySchemes: {
      key: { type: 'apiKey', in: 'header', name: 'X-Key', description: 'A key.' },
      web: { type: 'http', scheme: 'Bearer', bearerFormat: 'JWT' },
      oauth: { type: 'oauth2', flows },
      openId: { type: 'openIdConnect', openIdConnectUrl: 'https://x.example/openid' },
      tls: { type: 'mutualTLS' },
    },
  })
  expect(written).toMatchObject({
    securitySchemes: {
      key: { apiKeySecurityScheme: { location: 'header', name: 'X-Key', description: 'A key.' } },
      web: { httpAuthSecurityScheme: { scheme: 'Bearer', bearerFormat: 'JWT' } },
      oauth: { oauth2SecurityScheme: { flows } },
      openId: { openIdConnectSecurityScheme: { openIdConnectUrl: 'https://x.example/openid' } },
      tls: { mtlsSecurityScheme: {} },
    },
  })
  expect(JSON.stringify(written)).not.toContain('"type"')
})

test('what is needed, of the agent and of a skill, is a list by the name of its scheme', () => {
  const skill = { id: 's', name: 'S', description: 'Does it.', tags: [] }
  const written = cardToLegacyProto({
    ...card,
    security: [{ oauth: ['read'], key: [] }],
    skills: [{ ...skill, security: [{ oauth: ['write'] }] }, skill],
  })
  expect(written).toMatchObject({
    security: [{ schemes: { oauth: { list: ['read'] }, key: { list: [] } } }],
    skills: [{ ...skill, security: [{ schemes: { oauth: { list: ['write'] } } }] }, skill],
  })
})
