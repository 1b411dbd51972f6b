import type { ProcessIdentity } from './process/process-identity.ts'

/** A server of the stack that runs now. */
export interface RunningServer {
  readonly process: ProcessIdentity
  readonly port: number
  /** Port of its web pages, when it has any. */
  readonly uiPort?: number
}

/** How one server of the stack is found and started. */
export interface ManagedServer {
  readonly name: 'postgres' | 'temporal'
  /** The server that runs on this stack's data now, whoever started it. */
  find(): Promise<RunningServer | undefined>
  /** Waits a moment for a server that was found; false when it does not answer. */
  answers(port: number): Promise<boolean>
  /**
   * Starts it on a port and waits until it answers. `port` undefined: any free one, by preference the one of last time.
   * Throws `StackError`.
   */
  start(port: number | undefined): Promise<RunningServer>
}

/**
 * Where a server of a stack comes from: the operator gave its address, this owner started it, it was found running with
 * a living owner, or it was found without one and is this owner's now.
 */
export type ServerOrigin = 'given' | 'started' | 'found' | 'taken-over'
