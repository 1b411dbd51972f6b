import type { Lane } from './lanes.ts'

/** Settings of one lane. */
export interface LaneSettings {
  /** The operator's key; tenants may use their own. */
  readonly apiKey: string | undefined
  /** Address of the provider's API without a slash at its end; its own when absent. */
  readonly baseUrl: string | undefined
  /** The GPU or the machine type, as the provider names it. */
  readonly machine: string
  /** US dollars an hour. */
  readonly usdPerHour: number
  /** Of the lane `gpu_vm`: the region, and the name of an SSH key that the account has. */
  readonly region: string | undefined
  readonly sshKey: string | undefined
}

/** Settings of the operator for rented machines. */
export interface RentalSettings {
  /** Begins the names of this service's machines: those with it that no workflow owns are ended. */
  readonly prefix: string
  /** The container image with `workers/trainer`; undefined where none is configured. */
  readonly image: string | undefined
  readonly lanes: Readonly<Record<Lane, LaneSettings>>
}
