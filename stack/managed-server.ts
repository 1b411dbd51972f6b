import type { ProcessIdentity } from './process/process-identity.ts'

/** A server of the stack that runs now. */
export interface RunningServer {
  readonly process: ProcessIdentity
  readonly port: number
  /** Port of its web pages, when it has any. */
  readonly uiPort?: number
}

/** Finds and starts one server of the stack. */
export interface ManagedServer {
  readonly name: 'postgres' | 'temporal'
  /** Finds the server that runs on this stack's data now, also one that another process started. */
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
 * The origin of a server of a stack: the operator gave its address, this owner started it, it was found running with
 * a living owner, or it was found without one and this owner took it over.
 */
export type ServerOrigin = 'given' | 'started' | 'found' | 'taken-over'
