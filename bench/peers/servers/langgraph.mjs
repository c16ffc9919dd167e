import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessageChunk } from '@langchain/core/messages'
import { ChatGenerationChunk } from '@langchain/core/outputs'
import { tool } from '@langchain/core/tools'
import { MemorySaver } from '@langchain/langgraph'
import { createReactAgent } from '@langchain/langgraph/prebuilt'
import { beginEvents, serveTurns, writeEvent } from '../../server/http-turns.ts'
import { instructions, lookup, spoken, wantedIn } from '../../server/script.ts'

class ScriptedModel extends BaseChatModel {
  _llmType() {
    return 'scripted'
  }

  bindTools() {
    return this
  }

  _generate() {
    return Promise.reject(new Error('The scripted model only streams.'))
  }

  async *_streamResponseChunks(messages, _options, run) {
    if (messages.at(-1)?.getType() !== 'tool') {
      const call = { id: `call_${messages.length}`, name: lookup.name, args: JSON.stringify(lookup.args), index: 0 }
      yield new ChatGenerationChunk({
        text: '',
        message: new AIMessageChunk({ content: '', tool_call_chunks: [call] }),
      })
      return
    }
    const asked = messages.findLast((message) => message.getType() === 'human')
    for await (const text of spoken(wantedIn(asked.text))) {
      const chunk = new ChatGenerationChunk({ text, message: new AIMessageChunk({ content: text }) })
      yield chunk
      await run?.handleLLMNewToken(text, undefined, undefined, undefined, undefined, { chunk })
    }
  }
}

const agent = createReactAgent({
  llm: new ScriptedModel({}),
  prompt: instructions,
  tools: [
    tool(async () => JSON.stringify(lookup.result), {
      name: lookup.name,
      description: lookup.description,
      schema: lookup.inputSchema,
    }),
  ],
  checkpointer: new MemorySaver(),
})

serveTurns(async ({ conversation, text }, response) => {
  const config = { configurable: { thread_id: conversation }, streamMode: 'messages' }
  const stream = await agent.stream({ messages: [{ role: 'user', content: text }] }, config)
  beginEvents(response)
  for await (const [message] of stream) writeEvent(response, { type: message.getType(), text: message.text })
  response.end()
})
