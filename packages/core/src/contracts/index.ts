export { storeContract, type StoreContractCase, type StoreUnderTest } from './store-contract.ts'
export { channelContext } from './channel-context.ts'
export {
  channelContract,
  type ChannelContractCase,
  type ChannelHarness,
  type ChannelProcess,
  type ChannelTraits,
  type ContractActor,
  type ContractTurn,
  type ReceivedMessage,
  type Utterance,
} from './channel-contract.ts'
