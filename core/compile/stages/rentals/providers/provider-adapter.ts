import type { PodProvider } from '../pod-provider.ts'

/** Options with which an adapter opens a provider. */
export interface AdapterOptions {
  readonly apiKey: string
  readonly baseUrl: string
  /** The GPU or the machine type, as the provider names it. */
  readonly machine: string
  readonly region: string | undefined
  readonly sshKey: string | undefined
}

/** The adapter of a lane to the API of its provider. */
export interface ProviderAdapter {
  /** Another name of the lane that callers may use: the provider's. */
  readonly alias: string
  /** Machine type where the operator names none. */
  readonly machine: string
  readonly baseUrl: string
  readonly open: (options: AdapterOptions) => PodProvider
}
