import { startServices, type Services } from './supervisor/services.ts'
import { startStack, type Stack, type StackOptions } from './stack.ts'

/** Everything that runs on one machine: the stack, and the service on it. */
export interface Installation {
  readonly stack: Stack
  readonly services: Services
  /** Drains the API, then the worker, then stops what was started of the stack. Safe to call again. */
  stop(): Promise<void>
}

/** Options for starting an installation. */
export interface InstallationOptions extends StackOptions {
  /** The folder of the project. */
  readonly projectDir: string
  readonly host: string
  readonly port: number
  readonly isPortGiven: boolean
  /** The environment that the API and the worker inherit. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Takes the lines that the API and the worker write. */
  readonly onLine: (service: 'api' | 'worker', line: string) => void
}

/**
 * Starts the stack, or finds it, and the worker and the API on it. What it started it stops again when a later part
 * fails. Throws `StackError` and `AlreadyRunningError`.
 */
export async function bringUp(options: InstallationOptions): Promise<Installation> {
  const stack = await startStack(options)
  try {
    const services = await startServices({ ...options, stack })
    return {
      stack,
      services,
      stop: async () => {
        await services.stop()
        await stack.stop()
      },
    }
  } catch (error) {
    await stack.stop()
    throw error
  }
}
