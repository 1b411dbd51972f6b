import { atEnd } from '../../runner/at-end.ts'
import { createLogger, type Logger } from '../../../config/logger.ts'
import { installRuntime } from '../../../workers/runtime.ts'

let log: Logger | undefined

/**
 * The logger of a test process; Temporal's runtime writes to it as well. Silent, unless `SVC_TEST_LOG` names a level.
 */
export function testLog(): Logger {
  if (log !== undefined) return log
  log = createLogger({ name: 'test', level: process.env['SVC_TEST_LOG'] ?? 'silent' })
  const runtime = installRuntime({ log, host: '127.0.0.1' })
  // It ends with the last worker of a process; a process that never had one waits for this.
  atEnd.push(() => runtime.close())
  return log
}
