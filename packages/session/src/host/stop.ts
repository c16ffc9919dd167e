/** Why a run ends other than by its actor's own doing. */
export class Stop extends Error {
  readonly reason: 'cancelled' | 'leaseLost' | 'shutdown' | 'suspended'

  constructor(reason: Stop['reason']) {
    super(`The run was stopped: ${reason}.`)
    this.name = 'Stop'
    this.reason = reason
  }
}
