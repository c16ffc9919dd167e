export { storeContract, type StoreContractCase, type StoreUnderTest } from './store-contract.ts'
