import type { Lane } from './lanes.ts'

/** A machine to rent. */
export interface MachineOrder {
  /** Unique among the orders of the service: the provider shows it, and an order of unknown outcome is found by it. */
  readonly name: string
  /** The container image that the machine runs. */
  readonly image: string
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly diskGb: number
  /** Longest life of the machine, seconds; of providers that can enforce one. */
  readonly longestS: number
}

/** A machine that a provider charges for. */
export interface Machine {
  readonly id: string
  readonly name: string
  /** US dollars an hour as the provider states it; null where it states none. */
  readonly usdPerHour: number | null
}

/**
 * A provider that rents machines: the one port of the service to such providers. `rent` may be repeated only after
 * `list` has shown that an earlier order with the same name came to nothing.
 */
export interface PodProvider {
  readonly lane: Lane
  /** Rents a machine. Throws `ProviderFault`. */
  rent(order: MachineOrder, signal: AbortSignal): Promise<Machine>
  /** Lists the machines of the account that are charged for. Throws `ProviderFault`. */
  list(signal: AbortSignal): Promise<readonly Machine[]>
  /** Ends a machine for good; an unknown one counts as ended. Throws `ProviderFault`. */
  end(machineId: string, signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

/**
 * Kinds of failures of a provider. `unclear`: it did not answer, so the call may have had its effect. `no_capacity`,
 * `unauthorized` and `refused`: it had none.
 */
export type ProviderFaultKind = 'unclear' | 'no_capacity' | 'unauthorized' | 'refused'

/** Thrown when a provider of machines did not do what was asked; the message holds no key. */
export class ProviderFault extends Error {
  readonly kind: ProviderFaultKind

  constructor(kind: ProviderFaultKind, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ProviderFault'
    this.kind = kind
  }
}
