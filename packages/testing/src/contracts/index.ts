export {
  channelContract,
  storeContract,
  type ChannelContractCase,
  type ChannelHarness,
  type ChannelProcess,
  type ChannelTraits,
  type ContractActor,
  type ContractTurn,
  type ReceivedMessage,
  type StoreContractCase,
  type StoreUnderTest,
  type Utterance,
} from '@cool-ai/beach-core/contracts'
