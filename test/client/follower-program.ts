// A program that does nothing but follow a session, until the agent says that it may not.
import { connect } from '@cool-ai/beach-client'

const [url = '', sessionId = ''] = process.argv.slice(2)
const conversation = connect({ url, sessionId })
conversation.on('connection', ({ state }) => console.log(state))
