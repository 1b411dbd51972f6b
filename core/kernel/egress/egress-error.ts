/** Reasons why a call to a caller's address was refused or failed. */
export type EgressFault =
  /** No address that may be called: its scheme, or a name and password in it. */
  | 'unsupported_url'
  /** The name has no address. */
  | 'unresolved'
  /** The name leads to an address that is not on the public internet. */
  | 'refused_address'
  | 'timeout'
  | 'too_large'
  | 'connection'

/** Thrown when an address that a caller gave is not called, or does not answer. The message quotes no answer. */
export class EgressError extends Error {
  readonly fault: EgressFault

  constructor(fault: EgressFault, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'EgressError'
    this.fault = fault
  }
}
