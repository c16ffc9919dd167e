import { hashApiKey, newApiKey } from '@cool-ai/beach-channel/auth'

const key = newApiKey()
console.log(`BEACH_PEER_HARBOUR_API_KEY=${key}`)
console.log(`SKIPPER_KEY_HASH=${hashApiKey(key)}`)
