import { Runtime, type LogLevel, type LogMetadata, type Logger } from '@temporalio/worker'
import type { Logger as ProcessLogger } from '../config/logger.ts'

const LEVELS = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const

/** A warning of the SDK about the queue `fit`, which has activities and no workflows. */
const EXPECTED_WARNING = /^No workflows registered\b/

/** Returns the process's logger in the form that the Temporal SDK writes to. */
export function temporalLogger(log: ProcessLogger): Logger {
  const write = (given: LogLevel, message: string, facts: LogMetadata | undefined): void => {
    const { error, ...rest } = facts ?? {}
    const level = given === 'WARN' && EXPECTED_WARNING.test(message) ? 'DEBUG' : given
    log[LEVELS[level]]({ ...rest, ...(error === undefined ? {} : { err: error }) }, message)
  }
  return {
    log: write,
    trace: (message, facts) => write('TRACE', message, facts),
    debug: (message, facts) => write('DEBUG', message, facts),
    info: (message, facts) => write('INFO', message, facts),
    warn: (message, facts) => write('WARN', message, facts),
    error: (message, facts) => write('ERROR', message, facts),
  }
}

/**
 * Sets up Temporal's native runtime, once per process and before anything else of Temporal: it logs to the process's
 * logger, leaves signals to the process, and serves Prometheus metrics on `metricsPort` of `host` when one is given. It
 * keeps the process alive until it is closed.
 */
export function installRuntime(options: {
  readonly log: ProcessLogger
  readonly host: string
  readonly metricsPort?: number | undefined
}): { close(): Promise<void> } {
  const runtime = Runtime.install({
    logger: temporalLogger(options.log),
    shutdownSignals: [],
    telemetryOptions: {
      logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} },
      ...(options.metricsPort === undefined
        ? {}
        : { metrics: { prometheus: { bindAddress: `${options.host}:${options.metricsPort}` } } }),
    },
  })
  return { close: () => runtime.shutdown() }
}
