export {
  scriptedModel,
  type ScriptContext,
  type ScriptedMessage,
  type ScriptedModelOptions,
  type ScriptRule,
} from '@cool-ai/beach-llm'
export { script, type ScriptStep } from './script.ts'
